"""Questions on taxes: codes, packs with the accounts of taxes, rates, and returns."""

from webapp.queries.tax import (
    before_filing,
    by_code,
    codes,
    packs,
    parts,
    periods,
    rates,
    return_files,
    returns,
    stamps,
    uncoded,
    unpaid,
    waiting,
)
