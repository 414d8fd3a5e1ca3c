"""Shapes of journal entries, exchange rates and the lock date."""
