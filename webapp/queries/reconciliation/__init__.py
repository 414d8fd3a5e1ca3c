"""Hub, drafts, proofs, the verdicts whether they hold, and the causes of breaks."""

from webapp.queries.reconciliation import (
    culprits,
    hub,
    next_statements,
    panels,
    proof_lists,
    proof_pages,
    reconciliations,
    records,
)
