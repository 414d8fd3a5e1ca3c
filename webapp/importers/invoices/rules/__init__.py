"""The rules of EN 16931 on figures, judged as the official schematron of the file's own syntax judges them."""

from webapp.importers.invoices.rules.checks import RULES, RuleFinding, failing, findings

__all__ = ["RULES", "RuleFinding", "failing", "findings"]
