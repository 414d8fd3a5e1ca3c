"""Organizations, members, sessions, API tokens and their caps."""

from webapp.services.access import organizations, sessions, tokens, users

__all__ = ["organizations", "sessions", "tokens", "users"]
