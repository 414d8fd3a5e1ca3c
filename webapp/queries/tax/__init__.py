"""Questions on taxes: codes, packs with the accounts of taxes, and returns."""

from webapp.queries.tax import codes, packs, returns
