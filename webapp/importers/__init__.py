"""Readers of bank files, one module per format."""
