"""XLSX workbooks: the archive, its sheets, and cells with their own kinds."""
