"""Accounts, bank accounts, merchants and projects over JSON."""
