"""Shapes of imports and of the columns of a table."""
