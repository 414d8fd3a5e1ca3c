"""Shapes of accounts, bank accounts, merchants and projects."""
