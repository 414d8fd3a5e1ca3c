"""The rendering of pages: htmx parts, formats of figures and texts, forms, error messages."""
