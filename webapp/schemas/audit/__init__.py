"""Shapes of action requests, proposals, and what a call would do."""
