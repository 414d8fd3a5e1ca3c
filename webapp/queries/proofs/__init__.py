"""Proofs as they are listed, and the page of one."""

from webapp.queries.proofs import proof_lists, proof_pages

__all__ = ["proof_lists", "proof_pages"]
