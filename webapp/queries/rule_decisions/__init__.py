"""What rules decide of lines and documents, and why."""

from webapp.queries.rule_decisions import line_reasons, previews

__all__ = ["line_reasons", "previews"]
