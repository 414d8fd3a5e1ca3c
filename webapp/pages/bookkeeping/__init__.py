"""Pages of the journal: entries, forms to write one, exchange rates, the lock date."""
