"""Taxes over JSON."""
