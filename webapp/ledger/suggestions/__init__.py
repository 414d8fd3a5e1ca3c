"""Habits as pure arithmetic: the usual account of a text, and the rule for it."""
