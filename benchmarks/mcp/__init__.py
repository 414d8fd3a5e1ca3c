"""Measurements of the protocol for models."""
