"""Who asks and what they may: sessions and tokens, limits, strict reading of requests."""
