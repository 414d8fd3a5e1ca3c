"""Action requests, proposals, field changes."""

from webapp.queries.audit import action_requests, activity, field_changes, proposals

__all__ = ["action_requests", "activity", "field_changes", "proposals"]
