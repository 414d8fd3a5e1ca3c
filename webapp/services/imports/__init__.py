"""Bank files: previewed, planned against the books, written in one short turn, and taken back."""

from webapp.services.imports import column_mappings, imports
