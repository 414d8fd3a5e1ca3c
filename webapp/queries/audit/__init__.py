"""Action requests, proposals, field changes."""

from webapp.queries.audit import action_requests, field_changes, proposals

__all__ = ["action_requests", "field_changes", "proposals"]
