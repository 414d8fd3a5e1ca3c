"""Questions on taxes: codes, packs with the accounts of taxes, rates, and returns."""

from webapp.queries.tax import codes, packs, parts, rates, returns, unpaid
