"""Shapes of the hub, drafts and proofs, and of their forms."""
