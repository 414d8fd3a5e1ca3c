"""Notation: how amounts and days are written and read where people see and type them."""
