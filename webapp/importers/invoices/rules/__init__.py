"""The rules of EN 16931 on figures, judged like the official schematron of the file's syntax."""

from webapp.importers.invoices.rules.checks import RULES, RuleFinding, failing, findings

__all__ = ["RULES", "RuleFinding", "failing", "findings"]
