"""Entries as arithmetic: legs, mirrors in the base currency, splits, corrections, transfers, revaluation."""
