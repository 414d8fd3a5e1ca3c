"""Shapes of documents and what they belong to."""
