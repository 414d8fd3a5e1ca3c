"""The hub, and pages of statements and proofs."""
