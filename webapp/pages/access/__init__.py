"""Pages to sign in, and of members, API keys and organizations."""
