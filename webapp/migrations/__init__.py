"""Migrations: the shape of the books, step by step, in both directions."""
