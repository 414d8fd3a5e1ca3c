"""The form of a manual entry, with debit and credit columns and accounts by code or name, as a body of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import marshmallow as ma

from webapp import queries
from webapp.ledger.currencies import canonical
from webapp.ledger.dimensions import MergedMerchants, counting
from webapp.ledger.errors import LedgerError, NotFoundError, UnprocessableError
from webapp.ledger.journal.entries import Leg, keeps_base, mirrored
from webapp.ledger.journal.mirrors import share
from webapp.ledger.money import Money
from webapp.ledger.tax import amounts
from webapp.queries.common import merchants
from webapp.queries.suggestions.document_bookings import BookedPart
from webapp.schemas.bookkeeping.journal_entries import NewEntryPageSchema
from webapp.web.access.auth import organization_id
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.notation import sentence
from webapp.web.rendering.problems import Problem

if TYPE_CHECKING:
    from datetime import date

    from webapp.models import Document, JournalEntry
    from webapp.queries.accounts.choices import ChoiceRow

BLANK_LEGS = 2
MOST_SUGGESTED = 4
IDS = ("orgMerchantId", "projectId", "taxCodeId")
# The tax that a document states within an amount; with another amount it says nothing.
STATED = ("tax", "taxBase")
# What a leg says of the item that it begins.
OF_ITEMS = ("dueOn", "reference")
Row = Mapping[str, Any]


@dataclass
class EntryForm:
    """The form as it was typed, without empty legs."""

    effective_at: str
    description: str
    version: str | None
    rows: list[dict[str, Any]]
    accounts: Sequence[ChoiceRow] = field(default_factory=list)
    document_id: str | None = None
    tax_point: str | None = None

    def body(self) -> dict[str, Any]:
        """The body of the API, or ValidationError with the names of the inputs."""
        postings, errors = [], {}
        for index, row in enumerate(self.rows):
            try:
                postings.append(self._posting(row))
            except ma.ValidationError as error:
                errors[index] = error.messages
        if errors:
            raise ma.ValidationError({"postings": errors})
        body = {"effectiveAt": self.effective_at, "description": self.description, "postings": postings}
        more = {"version": self.version, "documentId": self.document_id}
        return body | {name: value for name, value in more.items() if value}

    def _posting(self, row: Row) -> dict[str, Any]:
        if not row.get("accountId"):
            raise ma.ValidationError({"accountId": ["Choose an account."]})
        facts = {name: row[name] for name in (*IDS, *OF_ITEMS) if row.get(name)}
        currency = {"currency": row["currency"]} if row.get("currency") else {}
        account = account_of(self.accounts, row["accountId"])
        base = {"amountBase": _base(row)} if row.get("amountBase") else {}
        amount = signed(row)
        return {
            "accountId": str(account.id),
            "amount": amount,
            **base,
            **currency,
            **facts,
            **self._tax(row, amount),
        }

    def _tax(self, row: Row, amount: str) -> dict[str, Any]:
        """The tax point of a leg with a code, and the tax that its document states within the amount that it has."""
        is_stated = bool(row.get("tax")) and row.get("taxOf") == amount
        if row.get("taxCodeId"):
            stated = {name: row[name] for name in STATED if is_stated and row.get(name)}
            return {"taxPoint": self.tax_point} | stated if self.tax_point else stated
        if is_stated:
            sentence = f"The document states {row['tax'].lstrip('-')} of tax in this: choose its code."
            raise ma.ValidationError({"taxCodeId": [sentence]})
        return {}

    def legs(self, base: str) -> tuple[list[Leg], list[str]]:
        """The legs that can be read, and messages on what the others need."""
        legs, needs = [], []
        for number, row in enumerate(self.rows, 1):
            try:
                legs.append(self._leg(row, base))
                if not row.get("accountId"):
                    needs.append(f"Line {number} has no account.")
            except (ma.ValidationError, LedgerError) as error:
                needs.append(f"Line {number}: {sentence(first_sentence(error))}")
        return legs, needs

    def _leg(self, row: Row, base: str) -> Leg:
        account = account_of(self.accounts, row["accountId"]) if row.get("accountId") else None
        currency = self.currency_of(row, base)
        money = Money.of(signed(row), currency)
        base_minor = Money.of(_base(row), base).minor if row.get("amountBase") and currency != base else None
        has_own = bool(base_minor and money)
        return Leg(account.id if account else 0, money.minor, currency, base_minor, has_own_base=has_own)

    def is_item(self, row: Row) -> bool:
        """Tell whether a leg begins an item: its account keeps them, or it has a reference or a due day."""
        if any(row.get(name) for name in OF_ITEMS):
            return True
        try:
            return bool(row.get("accountId")) and account_of(self.accounts, row["accountId"]).keeps_items
        except ma.ValidationError:
            return False

    def currency_of(self, row: Row, base: str) -> str:
        """The currency of a leg: the typed one, its account's, else the base currency."""
        if row.get("currency"):
            return canonical(row["currency"])
        account = account_of(self.accounts, row["accountId"]) if row.get("accountId") else None
        return (account.currency if account else None) or base

    def placed(self, problem: Problem) -> dict[str, list[str]]:
        """The messages by the names of inputs; those of an amount are at the column in which it was typed."""
        places = {}
        for path, messages in problem.fields.items():
            name = path
            if path.startswith("postings.") and path.endswith(".amount"):
                row = self.rows[int(path.split(".")[1])]
                name = path.removesuffix("amount") + ("credit" if row.get("credit") else "debit")
            elif path.startswith("postings.") and path.endswith(".taxPoint"):
                name = "taxPoint"
            places[name] = messages
        return places


def _base(row: Row) -> str:
    """Give the typed amount in the base currency with the sign of its side."""
    typed = str(row["amountBase"])
    return f"-{typed}" if row.get("credit") and not typed.startswith("-") else typed


def read() -> EntryForm:
    """Read the posted form."""
    body = form_body()
    postings = body.get("postings")
    rows = [row for row in postings if is_written(row)] if isinstance(postings, list) else []
    return EntryForm(
        effective_at=str(body.get("effectiveAt") or ""),
        description=str(body.get("description") or ""),
        version=str(body["version"]) if body.get("version") else None,
        rows=rows,
        accounts=queries.accounts.choices.accounts(organization_id(), with_feeds=True),
        document_id=str(body["documentId"]) if body.get("documentId") else None,
        tax_point=str(body["taxPoint"]) if body.get("taxPoint") else None,
    )


def of_document(document: Document, day: date) -> EntryForm:
    """Fill the form from a document: its net by rate and its tax, against what is owed for it.

    Where its figures do not add up, its total on its account, and the opposite leg without an account: money for us,
    by an invoice of ours or a supplier's credit note, is in the credit of that account.
    """
    accounts = queries.accounts.choices.accounts(
        organization_id(), with_feeds=True, chosen=[document.account_id]
    )
    labels = {account.id: label(account) for account in accounts}
    booking = queries.suggestions.document_bookings.booking(document)
    if booking.problem is None:
        rows = _with_stated_taxes(document, booking.postings, labels)
        tax_point = queries.suggestions.document_bookings.tax_point_of(document)
        return EntryForm(
            day.isoformat(),
            document.label,
            None,
            rows or [_row(each, labels) for each in booking.postings],
            accounts,
            document_id=str(document.id),
            tax_point=tax_point.isoformat() if rows and tax_point else None,
        )
    first, second = ({}, {}) if document.total is None else _sides(document, document.total)
    first |= {
        "accountId": labels.get(document.account_id or 0, ""),
        "orgMerchantId": str(counting(document.org_merchant_id, _merged()) or ""),
        "projectId": str(document.project_id or ""),
    }
    return EntryForm(
        day.isoformat(), document.label, None, [first, second], accounts, document_id=str(document.id)
    )


def document_of(form: EntryForm) -> Document | None:
    """Find the document that an entry comes from; None where there is none."""
    document_id = NewEntryPageSchema.read_leniently_of({"documentId": form.document_id or ""})["document_id"]
    try:
        return queries.documents.documents.get(organization_id(), document_id) if document_id else None
    except NotFoundError:
        return None


def _with_stated_taxes(
    document: Document, parts: Sequence[BookedPart], labels: Mapping[int, str]
) -> list[dict[str, Any]]:
    """The rows of a document in books with tax codes: what it states by rate with its tax, for which a code is chosen.

    None where there are no codes, or the document states no tax of each rate.
    """
    nets = [each for each in parts if each.kind == "NET"]
    taxes = queries.suggestions.document_bookings.stated_taxes_of(document, nets)
    if len(taxes) != len(nets) or not queries.tax.packs.has_any(document.organization_id):
        return []
    base = queries.access.organizations.base_currency(document.organization_id)
    in_base = queries.documents.stated_taxes.in_base(document, base)
    shares = share(in_base.minor, [each.minor for each in taxes]) if in_base and any(taxes) else []
    rows = []
    for number, (part, tax) in enumerate(zip(nets, taxes, strict=True)):
        size = abs(part.amount) + tax
        sign = -1 if part.amount.minor < 0 else 1
        row = _row(replace(part, amount=Money(sign * size.minor, size.currency)), labels)
        stated = {"tax": str(Money(sign * tax.minor, tax.currency)), "taxOf": signed(row)} if tax else {}
        if shares:
            stated["taxBase"] = str(Money(sign * shares[number], base))
        rows.append(row | stated | {"taxCodeId": str(part.tax_code_id or "")})
    return [*rows, *(_row(each, labels) for each in parts if each.kind not in ("NET", "TAX"))]


def _row(part: BookedPart, labels: Mapping[int, str]) -> dict[str, Any]:
    return {
        "accountId": labels.get(part.account_id or 0, ""),
        "debit" if part.amount.minor >= 0 else "credit": str(abs(part.amount)),
        "currency": part.amount.currency,
        "orgMerchantId": str(counting(part.org_merchant_id, _merged()) or ""),
        "projectId": str(part.project_id or ""),
        **_of_item(part.due_on, part.reference),
    }


def _of_item(due_on: date | None, reference: str | None) -> dict[str, str]:
    return {"dueOn": due_on.isoformat() if due_on else "", "reference": reference or ""}


def _sides(document: Document, total: Money) -> tuple[dict[str, Any], dict[str, Any]]:
    is_paid_to_us = queries.documents.parties.is_paid_to_us(document)
    columns = ("credit", "debit") if is_paid_to_us else ("debit", "credit")
    first, second = ({column: str(abs(total)), "currency": total.currency} for column in columns)
    return first, second


def of_draft(entry: JournalEntry, *, as_written: bool = True) -> EntryForm:
    """Fill the form from a draft, as somebody wrote it with its tax codes, or with the legs of their taxes."""
    legs = queries.journal.manual_entries.written_legs(entry)
    return _of_legs(entry, _as_written(entry, legs) if as_written else legs, as_written=as_written)


def _of_legs(entry: JournalEntry, legs: Sequence[Leg], *, as_written: bool) -> EntryForm:
    accounts = queries.accounts.choices.accounts(
        organization_id(), with_feeds=True, chosen=[leg.account_id for leg in legs]
    )
    labels = {account.id: label(account) for account in accounts}
    points = {leg.tax_point for leg in legs if leg.tax_code_id and leg.tax_point}
    merged = _merged()
    return EntryForm(
        effective_at=entry.effective_on.isoformat(),
        description=entry.description,
        version=queries.journal.manual_entries.version(entry),
        rows=[
            {
                "accountId": labels.get(leg.account_id, ""),
                "debit" if leg.amount_minor >= 0 else "credit": str(
                    abs(Money(leg.amount_minor, leg.currency))
                ),
                **({"amountBase": str(Money(mirrored(leg), entry.base_currency))} if keeps_base(leg) else {}),
                "currency": leg.currency,
                "orgMerchantId": str(counting(leg.merchant_id, merged) or ""),
                "projectId": str(leg.project_id or ""),
                "taxCodeId": str((as_written and leg.tax_code_id) or ""),
                **_of_item(leg.due_on, leg.reference),
            }
            for leg in legs
        ],
        accounts=accounts,
        tax_point=next(iter(points)).isoformat() if len(points) == 1 and as_written else None,
    )


def of_posted(entry: JournalEntry) -> EntryForm:
    """Fill the form from a posted entry as it counts, with its corrections, to correct it."""
    return _of_legs(entry, _as_written(entry, queries.journal.entries.effective_legs(entry)), as_written=True)


def _as_written(entry: JournalEntry, legs: Sequence[Leg]) -> list[Leg]:
    """Give the legs of an entry with the taxes of their codes in them; those of another currency as they stand."""
    coded = [leg for leg in legs if leg.tax_code_id]
    if any(leg.currency != entry.base_currency for leg in coded):
        return [replace(leg, tax_code_id=None) for leg in legs]
    of_taxes = {each.id for each in queries.tax.packs.accounts(entry.organization_id).values()}
    codes = [leg.tax_code_id and (leg.tax_code_id, leg.tax_point) for leg in legs]
    written = amounts.written(
        [(leg.amount_minor, code, leg.account_id in of_taxes) for leg, code in zip(legs, codes, strict=True)]
    )
    return [
        replace(leg, amount_minor=amount, amount_base_minor=None) if leg.tax_code_id else leg
        for leg, amount in zip(legs, written, strict=True)
        if amount is not None
    ]


def kept_or_sent(form: EntryForm, entry: JournalEntry) -> EntryForm:
    """Give the form of a draft; the legs of its taxes stay as they are where no leg was changed."""

    def legs(of: EntryForm) -> list[tuple[str, ...]]:
        names = ("accountId", "debit", "credit", "currency", "amountBase", *IDS, *OF_ITEMS)
        return [tuple(str(row.get(name) or "") for name in names) for row in of.rows]

    shown = of_draft(entry)
    if legs(form) != legs(shown) or form.tax_point != shown.tax_point:
        return form
    return replace(form, rows=of_draft(entry, as_written=False).rows)


def _merged() -> MergedMerchants:
    return merchants.merged(organization_id())


def is_written(row: Any) -> bool:
    """Return whether an account or an amount was typed into a leg."""
    return isinstance(row, dict) and any(
        isinstance(row.get(name), str) and row[name]
        for name in ("accountId", "debit", "credit", "amountBase")
    )


def label(account: ChoiceRow) -> str:
    """An account's code and name, as in the list of accounts."""
    return f"{account.code} {account.name}" if account.code else account.name


def account_of(accounts: Sequence[ChoiceRow], text: str) -> ChoiceRow:
    """Find an account by its code, its name or both, else by a part of them that only one has."""
    search = " ".join(text.casefold().split())
    labelled = [(account, label(account).casefold()) for account in accounts]
    for matches in (
        [each for each, text in labelled if search in (text, (each.code or "").casefold())],
        [each for each, _ in labelled if search == each.name.casefold()],
        [each for each, text in labelled if search in text],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            some = ", ".join(label(each) for each in matches[:MOST_SUGGESTED])
            more = " …" if len(matches) > MOST_SUGGESTED else ""
            raise ma.ValidationError(
                {"accountId": [f"{len(matches)} accounts match: {some}{more}. Type more of the name."]}
            )
    raise ma.ValidationError({"accountId": ["No active account has this code or name."]})


def signed(row: Row) -> str:
    """The signed amount of a leg: its debit, or the opposite of its credit; nothing beside a difference in base."""
    debit, credit = row.get("debit") or "", row.get("credit") or ""
    if debit and credit:
        raise ma.ValidationError(
            {"credit": ["A line has a debit or a credit. Enter the other one as another line."]}
        )
    column = "debit" if debit else "credit"
    amount = debit or credit
    if not amount and row.get("amountBase"):
        return "0"
    if not amount:
        raise ma.ValidationError({"debit": ["Enter a debit or a credit."]})
    if amount.startswith("-"):
        raise ma.ValidationError({column: ["Enter it without a sign; the other column is its opposite."]})
    try:
        Money.of(amount, "CLF")
    except UnprocessableError as error:
        if error.code == "not_an_amount":
            raise ma.ValidationError({column: [str(error)]}) from error
    return amount if debit or not amount.strip("0.") else f"-{amount}"


def first_sentence(error: ma.ValidationError | LedgerError) -> str:
    """The first message of an error."""
    if isinstance(error, LedgerError):
        return str(error)
    messages = error.messages
    while isinstance(messages, dict):
        messages = next(iter(messages.values()))
    return str(messages[0])
