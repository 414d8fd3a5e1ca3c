"""Commands on files: those of a folder that is watched, and old ones."""
