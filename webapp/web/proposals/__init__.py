"""Calls that wait for a person: tried, proposed, kept, approved and replayed."""
