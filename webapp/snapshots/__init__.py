"""Statements in SQL, until they are written as Core ones."""
