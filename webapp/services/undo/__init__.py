"""The inverse of each kind of act, or why there is none; and undoing everything that a token did."""

from webapp.services.undo import agent_undos, transactions
