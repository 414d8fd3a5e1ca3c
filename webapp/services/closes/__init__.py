"""Closes of months: prepared, approved and reopened, what people tick in them, and say of balances that differ."""

from webapp.services.closes import accruals, appropriations, balance_notes, closes, marks
