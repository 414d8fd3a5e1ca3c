"""Making pages: htmx parts, figures and words, forms, problems."""
