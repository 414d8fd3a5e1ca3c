"""Hub, drafts, proofs, their verdicts and who broke them."""

from webapp.queries.reconciliation import hub, panels, proof_pages, reconciliations, records

__all__ = ["hub", "panels", "proof_pages", "reconciliations", "records"]
