"""Closes of months: prepared, approved and reopened, and what people tick in them."""

from webapp.services.closes import appropriations, closes, marks
