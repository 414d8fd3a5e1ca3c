"""Accounts, bank accounts, merchants and projects."""
