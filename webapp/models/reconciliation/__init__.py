"""Reconciliations, their items, and breaks of proofs."""
