"""Habits as pure arithmetic: which account a text usually goes to, and which rule would say so."""
