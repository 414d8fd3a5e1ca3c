"""Organizations, people, their sessions and API tokens."""
