"""Open items of accounts that keep them, and what lines are to pay of them."""
