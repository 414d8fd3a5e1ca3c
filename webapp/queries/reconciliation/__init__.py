"""Hub, drafts, proofs, the verdicts whether they hold, and the causes of breaks."""

from webapp.queries.reconciliation import (
    completion_warnings,
    culprits,
    hub,
    panels,
    reconciliations,
    records,
    statement_signs,
)

__all__ = [
    "completion_warnings",
    "culprits",
    "hub",
    "panels",
    "reconciliations",
    "records",
    "statement_signs",
]
