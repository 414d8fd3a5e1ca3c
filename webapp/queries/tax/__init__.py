"""Questions on taxes: codes, packs, and the accounts of taxes."""

from webapp.queries.tax import codes, packs
