"""Shapes of organizations, members and API keys."""
