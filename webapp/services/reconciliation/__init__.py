"""Statements: an open draft, what it clears, the proof, and proofs reopened or accepted."""

from webapp.services.reconciliation import cleared_items, drafts, proofs, reopenings
