"""Principals, tokens, organizations, their members and invitations."""

from webapp.queries.access import invitations, organizations, principals, tokens

__all__ = ["invitations", "organizations", "principals", "tokens"]
