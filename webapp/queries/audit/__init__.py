"""Action requests, proposals, field changes."""

from webapp.queries.audit import action_requests, activity, book_moves, events, field_changes, proposals
