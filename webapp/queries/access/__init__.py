"""Principals, who asks, tokens, sessions, organizations, their members and invitations."""

from webapp.queries.access import (
    callers,
    clients,
    invitations,
    jobs,
    organizations,
    principals,
    saved_views,
    sessions,
    tokens,
)
