"""Principals, tokens, sessions, organizations, their members and invitations."""

from webapp.queries.access import invitations, organizations, principals, sessions, tokens

__all__ = ["invitations", "organizations", "principals", "sessions", "tokens"]
