"""The workspace of a bank account and the acts on its lines."""
