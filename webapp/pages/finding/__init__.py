"""The search for anything: a page, and the palette over every page."""
