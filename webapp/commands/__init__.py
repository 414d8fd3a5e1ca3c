"""The commands of `tieout`, one module per noun; webapp/cli.py lists them."""
