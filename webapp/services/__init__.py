"""The verbs: the only place that changes the books; they flush, never commit."""
