"""Principals, tokens, organizations and their members."""

from webapp.queries.access import organizations, principals, tokens

__all__ = ["organizations", "principals", "tokens"]
