"""Pages of the journal: entries, manual entries, exchange rates, the lock date, how long files stay."""
