"""The shape of a tool, and the text of its answers."""
