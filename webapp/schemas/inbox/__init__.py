"""Schemas of the inbox."""
