"""The bookkeeper of the demo: every act goes through the services, as a person's would."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.demo import lines as demo_lines
from webapp.demo import studio
from webapp.demo.countries import OwnTax, StudioCountry
from webapp.demo.lines import BankAccount, Booking, DemoLine
from webapp.demo.papers import Paper
from webapp.ledger.money import Money
from webapp.models import Account, ApiToken, FeedAccount, TaxCode, Transaction, of_same_organization
from webapp.queries.access import organizations
from webapp.queries.items import items
from webapp.queries.tax import returns
from webapp.services.access import tokens
from webapp.services.accounts import feed_accounts, merchants, projects
from webapp.services.audit.act import Actor
from webapp.services.bookkeeping import exchange_rates, voids
from webapp.services.bookkeeping.exchange_rates import TAX, RateInput
from webapp.services.documents import documents, relations
from webapp.services.documents.fields import DocumentInput
from webapp.services.documents.sent_files import SentFile
from webapp.services.imports import runs
from webapp.services.imports.uploads import Upload
from webapp.services.reconciliation import cleared_items, drafts, proofs
from webapp.services.reconciliation.cleared_items import ClearingChoice
from webapp.services.reconciliation.drafts import StatementInput
from webapp.services.tax import codes as tax_codes
from webapp.services.tax import packs
from webapp.services.tax import returns as tax_returns
from webapp.services.transactions import edits, lifecycle, transfers
from webapp.services.transactions.changed_legs import LineChanges, SplitInput
from webapp.services.undo.reasons import By

MORNING = time(8, 30)
RATE_SOURCE = "Invented for the demo"


class Bookkeeper:
    """A bookkeeper who works on a few days of each month, one act a second, and never after the last day began."""

    def __init__(self, actor: Actor, last_day: date, country: StudioCountry) -> None:
        self._actor = actor
        self.country = country
        self._last_day = last_day
        self._now = datetime.min.replace(tzinfo=UTC)
        self._feeds: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._merchants: dict[str, int] = {}
        self._projects: dict[str, int] = {}
        self._taxes_from = date.max
        self._tax_codes: dict[str, int] = {}
        self._owed: int | None = None
        self.filed_to = date.min

    @property
    def act(self) -> By:
        """Give who acts and when to a service; the next act is a second later."""
        self._now += timedelta(seconds=1)
        return {"actor": self._actor, "now": self._now}

    @property
    def late_act(self) -> By:
        """Give the same for an act that may post to a period of which a tax return is filed."""
        return {**self.act, "actor": replace(self._actor, is_late=True)}

    def sit_down(self, day: date) -> None:
        """Begin to work on a day, the last one at the latest."""
        start = MORNING if day < self._last_day else time()
        self._now = max(self._now, datetime.combine(min(day, self._last_day), start, UTC))
        # What earlier months left in the session would be looked through at every flush.
        db.session.flush()
        db.session.expunge_all()

    def move_in(self, accounts: Iterable[BankAccount]) -> None:
        """Open the bank accounts and the projects."""
        for account in accounts:
            opened = feed_accounts.create(
                name=account.name,
                currency=account.currency,
                type="LIABILITY" if account.kind == "CARD" else "ASSET",
                external_id=account.number,
                institution_name=account.bank,
                **self.act,
            )
            self._feeds[account.number] = opened.id
        for (group, emoji), members in studio.PROJECTS.items():
            group_id = projects.create_group(name=group, emoji=emoji, **self.act).id
            for name, letters in members:
                made = projects.create(name=name, emoji=letters, group_id=group_id, **self.act)
                self._projects[name] = made.id
        codes = sa.select(Account.code, Account.id).where(of_same_organization(Account, self._actor))
        self._codes = {code: account_id for code, account_id in db.session.execute(codes) if code}

    def code(self, code: str) -> int:
        """Give the id of the account with a code of the general chart."""
        return self._codes[self.country.codes.get(code, code)]

    def keep_taxes(self, day: date) -> None:
        """Install the country's tax return from a day on, with the studio's own codes."""
        packs.install(self.country.pack, from_=day, basis="ACCRUAL", frequency="QUARTERLY", **self.act)
        for own in self.country.own_taxes:
            tax_codes.create(
                code=own.code,
                name=own.name,
                side=own.side,
                rate=own.rate,
                shares=self._shares(own),
                **self.act,
            )
        found = sa.select(TaxCode.code, TaxCode.id).where(of_same_organization(TaxCode, self._actor))
        self._taxes_from, self._tax_codes = (
            day,
            {row.code: row.id for row in db.session.execute(found)},
        )

    def _shares(self, own: OwnTax) -> list[dict[str, Any]]:
        role, one = "output" if own.side == "SALE" else "input", Decimal(1)
        return [
            {
                "of": of,
                "factor": one,
                "role": of_tax,
                "boxes": [{"form": self.country.pack, "box": box, "factor": one}],
            }
            for of, of_tax, box in (("BASE", None, own.base_box), ("TAX", role, own.tax_box))
        ]

    def tax_code(self, party: str, code: str, day: date) -> int | None:
        """Give the id of the tax code of what is bought from or sold to a party on a day, or None."""
        found = self.country.tax_code(party, code) if day >= self._taxes_from else None
        return self._tax_codes[found] if found else None

    def file_return(self, last: date) -> int:
        """File the tax return of the quarter that ends on a day; gives what it owes, in minor units."""
        form, organization = self.country.pack, organizations.get(self._actor.organization_id)
        digest = returns.open_return(organization, form, last).record.digest
        filed = tax_returns.file(form=form, to=last, digest=digest, **self.act)
        self.filed_to, self._owed = last, items.of_entry(organization.id, filed.journal_entry_id or 0)[0].id
        return filed.payable.minor

    def project(self, name: str) -> int:
        """Give the id of the project with a name."""
        return self._projects[name]

    def merchant(self, name: str) -> int:
        """Give the id of the merchant of a name, made where it is new."""
        if name not in self._merchants:
            self._merchants[name] = merchants.create(name=name, **self.act).id
        return self._merchants[name]

    def quote(self, rates: Iterable[tuple[date, Decimal]]) -> None:
        """Store dollar rates."""
        inputs: list[RateInput] = [
            {"day": day, "currency": "USD", "units_per_base": rate, "source": RATE_SOURCE}
            for day, rate in rates
        ]
        if inputs:
            exchange_rates.put(inputs, **self.act)
            exchange_rates.put([{**each, "use": TAX} for each in inputs], **self.act)

    def take(self, account: BankAccount, first: date, last: date, *, with_pending: bool = False) -> None:
        """Import an account's statement over a period."""
        data = demo_lines.statement(account, first, last, with_pending=with_pending)
        name = f"{account.name.lower().replace(' ', '-')}-{last:%Y-%m-%d}.ofx"
        runs.take_at_once(Upload(name, data), **self.act)

    def line(self, line: DemoLine) -> Transaction:
        """Find a line in the books."""
        return db.session.scalars(
            sa.select(Transaction).where(
                of_same_organization(Transaction, self._actor),
                Transaction.provider_transaction_id == line.reference,
            )
        ).one()

    def book(self, line: DemoLine, booking: Booking | None = None) -> None:
        """Categorise a line: its account, its merchant, its project, or let it pay the return that was filed last."""
        chosen = booking or line.booking
        if chosen.code == studio.TAXES and self._owed is not None:
            self.edit(line, {"settles": [{"item_id": self._owed}]})
            self._owed = None
        else:
            self.edit(line, self.booked(line, chosen.code, chosen.project))

    def booked(self, line: DemoLine, code: str, project: str | None = None) -> LineChanges:
        """Give what books a whole line to an account, with its tax."""
        tax_code = self.tax_code(line.party, code, line.day)
        merchant_id = None if code == studio.TRANSFERS else self.merchant(line.party)
        project_id = None if project is None else self.project(project)
        if tax_code is None:
            changes: LineChanges = {"account_id": self.code(code)}
            if merchant_id is not None:
                changes["org_merchant_id"] = merchant_id
            if project_id is not None:
                changes["project_id"] = project_id
            return changes
        part = self.part(line, code, line.amount_minor)
        return {"splits": [{**part, "org_merchant_id": merchant_id, "project_id": project_id}]}

    def part(self, line: DemoLine, code: str, amount_minor: int) -> SplitInput:
        """Give a part of a line on an account, with its tax."""
        return {
            "account_id": self.code(code),
            "amount": Money(amount_minor, self.line(line).currency).decimal,
            "tax_code_id": self.tax_code(line.party, code, line.day),
        }

    def edit(self, line: DemoLine, changes: LineChanges) -> None:
        """Change a line's entry: a draft at once, a posted one by a correction marker."""
        edits.edit(self.line(line), changes, **self.act)

    def confirm(self, line: DemoLine, note: str = "") -> None:
        """Make a line's entry, or its correction, part of the books."""
        lifecycle.confirm(self.line(line), note=note, **self.act)

    def void(self, line: DemoLine, reason: str, *, key: ApiToken | None = None) -> None:
        """Cancel the entry of a line, by a key where one is named."""
        entry = self.line(line).journal_entry
        if entry is None:
            raise ValueError(f"{line.reference} has no entry")
        act = self.act
        if key is not None:
            act["actor"] = replace(self._actor, kind="TOKEN", id=key.id, name=key.name)
        voids.void(entry, reason=reason, **act)

    def make_key(self, name: str, scopes: Sequence[str]) -> tuple[ApiToken, str]:
        """Make an API key, and give its text, which is shown only once."""
        organization_id, user_id = self._actor.organization_id, self._actor.user_id
        membership = organizations.membership(organization_id, user_id or 0)
        return tokens.create(membership, name=name, scopes=scopes, **self.act)

    def file(self, paper: Paper, *, attach_to: DemoLine | None = None) -> None:
        """File an invoice, and attach it to a line where one is named."""
        content: DocumentInput = {
            "document_type": "BILL",
            "number": paper.number,
            "issued_on": paper.issued_on,
            "sender": paper.sender,
            "currency": paper.total.currency,
            "total": paper.total.decimal,
        }
        document = documents.create(content, SentFile(paper.file_name, paper.pdf()), **self.act)
        if attach_to is not None:
            relations.relate(document, "transaction_id", self.line(attach_to).id, **self.act)

    def pair_transfers(self) -> None:
        """Link what went from one account to another, where only two lines fit."""
        transfers.pair_unambiguous(**self.act)

    def draw_up(self, account: BankAccount, day: date, *, opening_date: date | None = None) -> None:
        """Begin a reconciliation with the statement of a day, the first one as new from an opening day on."""
        statement = StatementInput(day, self._balance(account, day))
        if opening_date is not None:
            opening = self._balance(account, opening_date)
            statement = replace(
                statement, keep_as_new=True, opening_balance=opening, opening_date=opening_date
            )
        drafts.put_draft(self._feed(account), statement, **self.act)

    def clear(self, account: BankAccount, lines: Iterable[DemoLine]) -> None:
        """Clear lines in the open draft."""
        chosen = ClearingChoice(cleared=[self.line(line).id for line in lines])
        if chosen.has_ids:
            cleared_items.put_items(self._feed(account), chosen, **self.act)

    def prove(self, account: BankAccount, day: date, *, opening_date: date | None = None) -> None:
        """Reconcile an account with its statement of a day, all that is confirmed, to a proof."""
        self.draw_up(account, day, opening_date=opening_date)
        cleared_items.put_items(self._feed(account), ClearingChoice(auto=True), **self.act)
        proofs.complete(self._feed(account), **self.act)

    def _balance(self, account: BankAccount, day: date) -> Decimal:
        return Money(account.balance_minor(day), account.currency).decimal

    def _feed(self, account: BankAccount) -> FeedAccount:
        return db.session.get_one(FeedAccount, (self._actor.organization_id, self._feeds[account.number]))
