"""Imports, their lines and coverage."""

from webapp.queries.imports import (
    bank_connections,
    bank_files,
    column_mappings,
    coverage,
    imports,
    statement_files,
)
