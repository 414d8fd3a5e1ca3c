"""Automation rules: kept, run on lines and documents, undone."""

from webapp.services.rules import rules, run_undos, runs
