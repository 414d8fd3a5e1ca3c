"""What a search has found, in groups: each with its name and its hits, and the group with the best hit first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from flask import url_for

from webapp import queries
from webapp.ledger.money import Money
from webapp.ledger.texts.finding import Fit, fit
from webapp.pages.finding.places import ACTS, PAGES, Destination, acts_on, address
from webapp.queries.access.principals import Principal
from webapp.queries.common.search import sizes_typed
from webapp.queries.finding.names import Named
from webapp.queries.finding.records import FoundDocument, FoundEntry
from webapp.web.rendering.context import line_address
from webapp.web.rendering.languages import gettext

if TYPE_CHECKING:
    from webapp.models import Transaction

LONGEST = 255
NO_TEXT = "No description"


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that was found, as a row that leads to it."""

    title: str
    href: str
    icon: str
    fit: Fit
    detail: str = ""
    day: date | None = None
    amount: Money | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Some hits of one kind."""

    name: str
    hits: list[Hit]

    @property
    def best(self) -> Fit:
        """How well its best hit fits."""
        return min(each.fit for each in self.hits)


class _SearchByName(Protocol):
    def __call__(self, organization_id: str, typed: str, *, limit: int) -> list[Named]: ...


def found(organization_id: str, viewer: Principal, typed: str, *, limit: int) -> list[Group]:
    """Find what was typed; where nothing was, list the acts and the pages."""
    typed = typed.strip()[:LONGEST]
    places = [
        Group(gettext("Acts"), list(_acts(organization_id, viewer.scopes, typed))),
        Group(gettext("Pages"), list(_places(PAGES, viewer.scopes, typed))),
    ]
    if not typed:
        return places
    groups = [
        *(
            Group(each.name, sorted(each.hits, key=lambda hit: hit.fit)[:limit])
            for each in (*places, Group(gettext("Books"), list(_books(viewer, typed))))
        ),
        *_named(organization_id, typed, limit),
        *_recorded(organization_id, typed, limit),
    ]
    return sorted((each for each in groups if each.hits), key=lambda group: group.best)


def _places(places: Iterable[Destination], scopes: frozenset[str], typed: str) -> Iterator[Hit]:
    for place in places:
        title = gettext(place.title)
        words = f"{place.title} {place.words} {gettext(place.words)}"
        fits = fit(typed, title, more=words) if typed else Fit.NAME
        if fits is not None and place.scope in scopes:
            yield Hit(title, address(place), place.icon, fits)


def _acts(organization_id: str, scopes: frozenset[str], typed: str) -> Iterator[Hit]:
    yield from _places(ACTS, scopes, typed)
    for account in queries.finding.names.feed_accounts(organization_id) if typed else ():
        for title, href, more in acts_on(account, scopes):
            fits = fit(typed, title, code=account.code, more=f"{more} {gettext(more)}")
            if fits is not None:
                yield Hit(title, href, "landmark", fits, detail=f"•• {account.code}" if account.code else "")


def _books(viewer: Principal, typed: str) -> Iterator[Hit]:
    """Find the viewer's other books; a token has only those that it is for."""
    for books in queries.access.organizations.of_user(viewer.user_id) if viewer.session_hash else ():
        fits = fit(typed, books.name, more="books organization switch")
        if fits is not None and books.id != viewer.organization_id:
            yield Hit(
                books.name, url_for("hub.index", books=books.id), "book-open", fits, books.base_currency
            )


def _named(organization_id: str, typed: str, limit: int) -> Iterator[Group]:
    """Group what has a name: accounts, merchants, projects and rules."""
    names = queries.finding.names
    kinds: tuple[tuple[str, _SearchByName, str, str, str], ...] = (
        (gettext("Accounts"), names.accounts, "folder", "accounts.show", "account_id"),
        (gettext("Customers and suppliers"), names.merchants, "store", "merchants.show", "merchant_id"),
        (gettext("Projects"), names.projects, "tag", "projects.show", "project_id"),
        (gettext("Rules"), names.rules, "zap", "rule_editor.show", "rule_id"),
    )
    for name, search, icon, endpoint, key in kinds:
        rows = search(organization_id, typed, limit=limit)
        yield Group(name, [_name(row, icon, endpoint, {key: row.id}) for row in rows])


def _name(row: Named, icon: str, endpoint: str, ids: dict[str, Any]) -> Hit:
    said = gettext(row.detail) if endpoint == "accounts.show" else row.detail
    detail = " · ".join(part for part in (row.code, said) if part)
    return Hit(row.name, url_for(endpoint, **ids), icon, row.fit, detail)


def _recorded(organization_id: str, typed: str, limit: int) -> Iterator[Group]:
    """Group documents, lines and entries: a typed amount or number means them before any name."""
    fits = Fit.CODE_BEGINS if sizes_typed(typed) else Fit.WORDS_BEGIN
    records = queries.finding.records
    documents = records.documents(organization_id, typed, limit=limit)
    yield Group(gettext("Documents"), [_document(each, fits) for each in documents])
    lines = queries.finding.lines.lines(organization_id, typed, limit=limit)
    yield Group(gettext("Bank lines"), [_line(each, fits) for each in lines])
    numbered = records.numbered_entries(organization_id, typed)
    others = [each for each in records.entries(organization_id, typed, limit=limit) if each not in numbered]
    everywhere = Hit(
        gettext("Search the whole journal for this"),
        url_for("journal_entries.index", q=typed),
        "search",
        Fit.PARTS,
        gettext("Any part of a text"),
    )
    found = [*(_entry(each, Fit.CODE) for each in numbered), *(_entry(each, fits) for each in others)]
    yield Group(gettext("Entries"), [*found, everywhere])


def _document(document: FoundDocument, fits: Fit) -> Hit:
    href = url_for("documents.show", document_id=document.id)
    kind = gettext(document.document_type.replace("_", " ").capitalize())
    return Hit(document.label, href, "file", fits, kind, document.issued_on, document.total)


def _line(line: Transaction, fits: Fit) -> Hit:
    href, text = line_address(line.feed_account_id, line.id), _text(line.counterparty, line.description)
    return Hit(
        text or gettext(NO_TEXT), href, "ring", fits, line.feed_account.name, line.booked_on, line.amount
    )


def _text(counterparty: str | None, description: str) -> str:
    """Write a line's texts once each: many banks repeat the counterparty in front of the description."""
    if not counterparty or description.lower().startswith(counterparty.lower()):
        return description
    return f"{counterparty} · {description}" if description else counterparty


def _entry(entry: FoundEntry, fits: Fit) -> Hit:
    href = url_for("journal_entries.show", entry_id=entry.id)
    number = gettext("Entry %(number)s") % {"number": entry.number} if entry.number else gettext("Draft")
    return Hit(entry.description or gettext(NO_TEXT), href, "book-open", fits, number, entry.effective_on)
