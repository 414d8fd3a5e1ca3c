"""Texts as people see them and type them."""
