"""Habits in confirmed lines: suggested rules, likely accounts, and how documents would be booked."""

from webapp.queries.suggestions import document_bookings, likely_accounts, line_meanings, rule_suggestions
