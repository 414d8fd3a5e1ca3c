"""Amounts and days as people type them into pages, read before any view sees them: views get those of the API.

What cannot be read stays as it was typed, so that a schema refuses it and the form shows it again.
"""

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import urlencode

from flask import Flask, Response, make_response, redirect, request, url_for
from werkzeug.datastructures import ImmutableMultiDict

from webapp.errors import is_for_api
from webapp.ledger.notation.amounts import plain, read
from webapp.ledger.notation.days import read_day
from webapp.schemas.fields import DECIMAL
from webapp.web.access import notes, requests
from webapp.web.access.request_state import state
from webapp.web.rendering.figures import UNCLEAR
from webapp.web.rendering.notation import notation, today

# The last words of the names of fields, in all forms of all pages: `day_field`, `day_input` and `amount_field` make
# those fields, and nothing else may have such a name.
DAYS: Final = frozenset(
    {
        "adjustmentsLockDate",
        "asOf",
        "compareFrom",
        "compareTo",
        "day",
        "decidedOn",
        "dueOn",
        "effectiveAt",
        "endsOn",
        "expiresOn",
        "fetchFrom",
        "from",
        "issuedOn",
        "itemsFrom",
        "lockDate",
        "on",
        "openingDate",
        "receivedOn",
        "reversesBy",
        "startsOn",
        "statementDate",
        "taxPoint",
        "to",
    }
)
AMOUNTS: Final = frozenset(
    {
        "amount",
        "amountBase",
        "credit",
        "debit",
        "expensesFrom",
        "fluxAmount",
        "keep",
        "manualFrom",
        "materiality",
        "maxAmountADay",
        "net",
        "openingBalance",
        "payment",
        "residual",
        "statementBalance",
        "writeOffLimit",
    }
    | {"tax", "taxBase", "taxOf", "total"}
)
RATES: Final = frozenset({"unitsPerBase"})


def register_typed(app: Flask) -> None:
    """Read what was typed after the guard has said who types."""
    app.before_request(read_typed)


def read_typed() -> Response | None:
    """Read the days and amounts of a page's form; days in an address are absolute, so that it can be kept."""
    if is_for_api() or state().principal is None:
        return None
    if requests.is_safe():
        return _redirect_to_absolute_days()
    if request.mimetype == "application/x-www-form-urlencoded":
        notes.take_from_form()
        request.form = ImmutableMultiDict(_read_all(request.form.items(multi=True)))
    return None


def canonical(name: str, text: str) -> str:
    """Read the text of a field by its name, as the API writes it; what is no amount and no day stays as it is."""
    last = name.rpartition(".")[2]
    if last in DAYS:
        return canonical_day(text)
    return canonical_amount(text, is_grouped=last not in RATES) if last in AMOUNTS | RATES else text


def canonical_day(text: str) -> str:
    """Read a day as the API writes it, or leave it as it is."""
    found = read_day(text, today(), notation())
    return found.isoformat() if found else text


def canonical_amount(text: str, *, is_grouped: bool = True) -> str:
    """Read an amount as the API writes it, or leave it so that no schema takes it for one."""
    text = text.removeprefix(UNCLEAR)
    found = read(text, notation(), is_grouped=is_grouped)
    if found is not None:
        return plain(found)
    return f"{UNCLEAR}{text}" if DECIMAL.fullmatch(text.strip()) else text


def _read_all(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return ((name, canonical(name, text) if text.strip() else text) for name, text in pairs)


def _redirect_to_absolute_days() -> Response | None:
    sent = list(request.args.items(multi=True))
    days = [(name, canonical_day(text) if name in DAYS and text.strip() else text) for name, text in sent]
    if days == sent:
        return None
    address = url_for(request.endpoint or "hub.index", **(request.view_args or {}))
    return make_response(redirect(f"{address}?{urlencode(days)}"))
