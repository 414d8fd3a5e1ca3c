"""The commands of `tieout`, one module per noun; webapp/cli.py is their table of contents."""
