"""Items of accounts that keep them: what is owed, as of any day; and settlements of these and of open items."""

from webapp.queries.items import (
    aged_tables,
    ageing,
    derivations,
    items,
    likely_payments,
    line_payments,
    listings,
    party_statements,
    payment_choices,
    prepaid,
    returned_payments,
    settlements,
)
