"""Shapes of bank lines, joins, transfers and open items."""
