"""The identity of bank lines: their keys, and the reports that are one line."""
