"""The way back from each kind of act, or why there is none; and what a key did, undone as one batch."""

from webapp.services.undo import agent_undos

__all__ = ["agent_undos"]
