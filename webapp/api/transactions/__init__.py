"""Bank lines over JSON: acts on one or many, joins, transfers, open items."""
