"""What a call would do to entries, balances and proofs."""

from webapp.queries.effects import pages, summaries
