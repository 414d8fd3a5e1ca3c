"""Items of accounts that keep them: what is owed, as of any day; and settlements of these and of open items."""

from webapp.queries.items import derivations, items, listings, payment_choices, settlements

__all__ = ["derivations", "items", "listings", "payment_choices", "settlements"]
