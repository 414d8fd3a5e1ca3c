"""The JSON door."""
