"""Savepoints, and files beside the books that follow the fate of a transaction."""
