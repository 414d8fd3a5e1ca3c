"""Items of accounts that keep them over JSON."""
