"""Lists of bank lines: by columns of the line itself, and by all that can be asked."""
