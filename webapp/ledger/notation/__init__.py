"""Notation: amounts and days as people write and read them."""
