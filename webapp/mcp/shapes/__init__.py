"""What a tool is, and how its answers are written."""
