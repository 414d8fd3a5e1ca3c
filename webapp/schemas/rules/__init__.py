"""Shapes of rules, runs and suggested rules."""
