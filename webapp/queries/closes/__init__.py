"""Closes of months: what is left to do, what they froze, and what came too late."""

from webapp.queries.closes import appropriations, balance_proofs, closes, marks, packs
