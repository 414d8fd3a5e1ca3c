"""Closes of months: what is left to do, and what came too late."""

from webapp.queries.closes import balance_proofs, closes
