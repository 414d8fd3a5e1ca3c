"""Entries of a year's last day: what closes it in other books, and what adjusts it after its months are closed."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from webapp.ledger.chart import AccountType
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.entries import Leg
from webapp.models import Account, JournalEntry
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts
from webapp.queries.common import lookups
from webapp.queries.reports.books import ReportBooks
from webapp.queries.reports.closings import RESULT_TYPES
from webapp.queries.tax import packs
from webapp.services.audit.act import Act
from webapp.services.tax.coding import NoTaxHereError

CLOSED_TYPES = frozenset({*RESULT_TYPES, AccountType.EQUITY})
# One account alone is often brought to nil by hand.
LEAST_CLOSED = 2


class NotYearEndError(UnprocessableError):
    """Closing and adjusting entries are of the last day of a financial year."""

    code = "not_year_end"


class ClosingAccountError(UnprocessableError):
    """A closing entry is on income, expenses and equity alone, without a project, a customer or a supplier."""

    code = "closing_account"


class AdjustingAccountError(UnprocessableError):
    """An adjusting entry is on no account of a bank, of items or of taxes with codes; adjust a tax by its return."""

    code = "adjusting_account"


def check(entry: JournalEntry, legs: Sequence[Leg]) -> None:
    """Refuse a closing or adjusting entry of another day, with a tax code, or on an account that it may not move.

    A closing entry has no project and no merchant either. What puts a result to owners has no tax code.
    """
    if not entry.is_closing and not entry.is_adjusting and entry.appropriates_on is None:
        return
    if any(leg.tax_code_id for leg in legs):
        raise NoTaxHereError(fields={"postings": [str(NoTaxHereError.__doc__)]})
    year = organizations.financial_years(entry.organization_id).of(entry.effective_on)
    if entry.appropriates_on is None and year.last != entry.effective_on:
        sentence = f"{entry.effective_on:%-d %b %Y} ends no financial year; date it {year.last:%-d %b %Y}."
        raise NotYearEndError(sentence, fields={"effectiveAt": [sentence]})
    rows = lookups.by_id(Account, entry.organization_id, {leg.account_id for leg in legs})
    if entry.is_adjusting:
        _check_adjusted(entry.organization_id, rows, legs)
    if not entry.is_closing:
        return
    wrong = {
        f"postings.{place}.accountId": [str(ClosingAccountError.__doc__)]
        for place, leg in enumerate(legs)
        if rows[leg.account_id].type not in CLOSED_TYPES or leg.project_id or leg.merchant_id
    }
    if wrong:
        names = sorted({row.name for row in rows.values() if row.type not in CLOSED_TYPES})
        raise ClosingAccountError(fields=wrong, details={"accounts": names})


def _check_adjusted(organization_id: str, rows: Mapping[int | None, Account], legs: Sequence[Leg]) -> None:
    kept = {each.id for each in rows.values() if each.keeps_items}
    kept |= {each.id for each in packs.accounts(organization_id).values()}
    kept |= accounts.feed_ids(organization_id).keys()
    wrong = [place for place, leg in enumerate(legs) if leg.account_id in kept]
    if wrong:
        sentence = str(AdjustingAccountError.__doc__)
        names = sorted({rows[legs[place].account_id].name for place in wrong})
        raise AdjustingAccountError(
            fields={f"postings.{place}.accountId": [sentence] for place in wrong}, details={"accounts": names}
        )


def warn_of_likeness(entry: JournalEntry, legs: Sequence[Leg], doing: Act) -> None:
    """Warn of a posted entry that brings income and expenses to nil against equity, and is no closing entry."""
    rows = lookups.by_id(Account, entry.organization_id, {leg.account_id for leg in legs})
    results = {leg.account_id for leg in legs if rows[leg.account_id].type in RESULT_TYPES}
    is_equity = any(rows[leg.account_id].type == AccountType.EQUITY for leg in legs)
    if entry.is_closing or not is_equity or len(results) < LEAST_CLOSED:
        return
    books = ReportBooks(entry.organization_id, [entry.effective_on, entry.effective_on - timedelta(days=1)])
    closing = books.closing(entry.effective_on)
    nil = [account_id for account_id in results if not closing[account_id]]
    if len(nil) >= LEAST_CLOSED:
        doing.warn(
            "looks_like_closing",
            f"This brings {len(nil)} accounts of income and expenses to nil, so that the profit and loss of the year"
            ' is without them. Void it and send it with the source "closing".',
        )
