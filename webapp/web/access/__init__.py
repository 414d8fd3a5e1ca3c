"""Access: sessions and tokens, scopes, rate limits, and the strict reading of requests."""
