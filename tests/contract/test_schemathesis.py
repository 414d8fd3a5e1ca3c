"""Every call holds what the OpenAPI document says of it, for whatever is sent (P45)."""
