"""Journal entries, exchange rates and the lock date over JSON."""
