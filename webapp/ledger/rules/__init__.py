"""Automation rules as pure decisions: conditions, effects, and what they make of a line or a document."""
