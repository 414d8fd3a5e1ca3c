"""Organizations, members, sessions, API tokens and their caps."""

from webapp.services.access import invitations, organizations, sessions, tokens, users

__all__ = ["invitations", "organizations", "sessions", "tokens", "users"]
