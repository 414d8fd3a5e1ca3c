"""The tools of open items."""
