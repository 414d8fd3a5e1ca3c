"""Imports, their lines and coverage."""

from webapp.queries.imports import column_mappings, coverage, imports

__all__ = ["column_mappings", "coverage", "imports"]
