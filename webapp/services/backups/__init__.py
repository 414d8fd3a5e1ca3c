"""The whole installation to one file and back."""
