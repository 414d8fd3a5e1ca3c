"""The rows of a table that moves books in: each as what it becomes, or with what stands against it."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import groupby

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.importers.book_tables import StatedAccount, StatedPosting
from webapp.ledger.chart import AccountType, Role
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.entries import Leg, UnbalancedError
from webapp.ledger.money import Money, money_at
from webapp.ledger.tax.rules import WAITING
from webapp.ledger.texts.legible import cited
from webapp.models import Account, Document, JournalEntry, Merchant, Organization, TaxCode
from webapp.queries.accounts import accounts, balances
from webapp.queries.common import merchants
from webapp.queries.tax import codes
from webapp.services.accounts import accounts as chart
from webapp.services.audit.act import Act
from webapp.services.bookkeeping import closing_entries, entry_questions, manual_entries
from webapp.services.bookkeeping.posting_inputs import PostingInput, legs_of
from webapp.services.journal import entries, line_drafts
from webapp.services.moving.row_verdicts import MovedRow
from webapp.services.tax.coding import TaxInput


class DayMissingError(UnprocessableError):
    """Say of which day these balances are, as `on`."""

    code = "validation"


class Moving:
    """A table on its way into the books; `is_bill` turns the amounts of items, which bills state above zero.

    With `force` its days may be far ahead, and its numbers may be there already.
    """

    def __init__(
        self,
        organization: Organization,
        doing: Act,
        on: date | None,
        is_bill: bool | None,  # noqa: FBT001
        *,
        force: bool,
    ) -> None:
        """Read the accounts once."""
        self.organization, self.doing, self.on, self.is_bill = organization, doing, on, is_bill
        self.force = force
        self._here = organization.id
        of_books = sa.select(Account).where(Account.organization_id == self._here)
        self._accounts: list[Account] = [*db.session.scalars(of_books.order_by(*accounts.BY_CODE.columns))]
        self._feeds = accounts.feed_ids(self._here)
        self._parties: dict[str, int] = {}

    def take(self, kind: str, rows: Sequence[StatedAccount | StatedPosting]) -> list[MovedRow]:
        """Take the rows of a kind; what stands against one is said in it."""
        if kind == "ACCOUNTS":
            return [self._open(each) for each in rows if isinstance(each, StatedAccount)]
        postings = [each for each in rows if isinstance(each, StatedPosting)]
        if kind == "OPENING":
            return self._begin(postings)
        is_journal = kind == "JOURNAL"
        self._know([each.party for each in postings if each.party])
        groups = groupby(postings, lambda each: each.key or each.row)
        if not is_journal:
            groups = groupby(
                sorted(postings, key=lambda each: (each.key or "", each.row)), lambda each: each.key or ""
            )
        taken = [
            row for _, group in groups for row in (self._enter if is_journal else self._owe)(list(group))
        ]
        return sorted(taken, key=lambda each: each.row or 0)

    def _open(self, stated: StatedAccount) -> MovedRow:
        """Open an account, unless the books have it by its code, or without one by its name."""
        row = MovedRow(stated.row, text=stated.name)
        # "Health:Insurance" and "Car:Insurance" of a chart are two accounts, and neither is "Insurance".
        there = self._find(stated.code or stated.name, is_path=False) if stated.code or stated.name else None
        if there is not None:
            row.account, row.verdict = there, "ALREADY_THERE"
            if there.type != stated.kind.type:
                named = "code" if stated.code else "name"
                row.refuse(f"{cited(there.name)} has this {named}, and is {there.type}; change one of them.")
            return row
        try:
            row.account = chart.open_account(
                self._here,
                {
                    "name": stated.name,
                    "type": stated.kind.type.value,
                    "code": stated.code,
                    "currency": stated.currency
                    if stated.currency != self.organization.base_currency
                    else None,
                    "group": stated.kind.group,
                    "keeps_items": stated.kind.keeps_items,
                },
                self.doing.now,
            )
            self._accounts.append(row.account)
        except LedgerError as error:
            row.refuse(error)
        return row

    def _begin(self, postings: Sequence[StatedPosting]) -> list[MovedRow]:
        """Post the balances of a day in one entry, except those that the books have, or get from elsewhere."""
        if self.on is None:
            raise DayMissingError(fields={"on": [str(DayMissingError.__doc__)]})
        seen: dict[int, int] = {}
        rows = [self._balance(each, seen) for each in postings]
        if any(row.problem for row in rows):
            return rows
        if rest := sum(row.amount.minor for row in rows if row.amount):
            raise UnbalancedError(Money(rest, self.organization.base_currency))
        before, posted = self._booked(), []
        for row, stated in zip(rows, postings, strict=True):
            account = row.account
            if account is None or self._is_elsewhere(account) or before.get(account.id):
                row.verdict = "COMPARED"
            elif stated.amount:
                posted.append(self._posting(stated, account))
        if posted:
            entry = self._post(self.on, posted, "Opening balances", source="opening")
            for row in rows:
                row.entry_id = entry.id if row.verdict == "NEW" else None
        return [*rows, *self._compared(rows)]

    def _compared(self, rows: Sequence[MovedRow]) -> Iterator[MovedRow]:
        """Give rows what the books have by now, and name the accounts that the table has not."""
        base, after = self.organization.base_currency, self._booked()
        for row in rows:
            row.booked = Money(after.pop(row.account.id, 0) if row.account else 0, base)
        for each in self._accounts:
            if minor := after.get(each.id):
                yield MovedRow(None, "COMPARED", each, each.name, Money(0, base), booked=Money(minor, base))

    def _balance(self, stated: StatedPosting, seen: dict[int, int]) -> MovedRow:
        """Find the account of a balance, and what that is in the base currency."""
        row, base = (
            MovedRow(stated.row, text=stated.account or "", day=self.on),
            self.organization.base_currency,
        )
        row.account = self._found(row, stated.account)
        if row.account is not None and seen.setdefault(row.account.id, stated.row) != stated.row:
            row.refuse(f"Row {seen[row.account.id]} has {cited(row.account.name)} already.")
        currency = stated.currency or (row.account and row.account.currency) or base
        worth = stated.amount if currency == base else stated.amount_base
        if worth is None and stated.amount:
            row.refuse(f"Say what it is in {base}.")
        else:
            try:
                row.amount = money_at(worth or Decimal(0), base, "amount")
            except LedgerError as error:
                row.refuse(error)
        return row

    def _booked(self) -> dict[int, int]:
        ids = [each.id for each in self._accounts]
        found = balances.of_accounts(self._here, ids, through=self.on)
        return {key: each.amount_base_minor for key, each in found.items()}

    def _is_elsewhere(self, account: Account) -> bool:
        """Return whether a first statement or open items bring the balance of an account."""
        waits = {f"tax_{role}" for role in WAITING.values()}
        return account.id in self._feeds or account.keeps_items or account.role in waits

    def _owe(self, group: Sequence[StatedPosting]) -> list[MovedRow]:
        """Post an item of a party, dated as it was issued, against the opening balances."""
        first, postings, found = group[0], [], []
        for stated in group:
            row = MovedRow(stated.row, text=f"{stated.number}, {stated.party}", day=stated.day)
            sign = -1 if self.is_bill else 1
            row.account = self._found(row, stated.account) if stated.account else self._control(row, stated)
            found.append(row)
            if row.account is None:
                continue
            posting = self._posting(stated, row.account, sign)
            if stated.tax_code is not None:
                code = self._code(row, stated.tax_code)
                posting["tax_code_id"], posting["tax_point"] = (
                    code.id if code else None,
                    stated.day or date.min,
                )
                if stated.tax is not None:
                    posting["tax"] = sign * stated.tax
            postings.append(posting)
            self._state(row, posting)
        described = first.description or f"{first.number}, {first.party}"
        self._try(found, first.day or date.min, postings, described, source="opening")
        return found

    def _enter(self, group: Sequence[StatedPosting]) -> list[MovedRow]:
        """Post an entry of a journal; a contra account makes of each row an entry by itself."""
        first, postings, found, owners = group[0], [], [], []
        for stated in group:
            row = MovedRow(stated.row, text=stated.description or stated.account or "", day=stated.day)
            row.account = self._found(row, stated.account)
            contra = self._found(row, stated.contra_account) if stated.contra_account else None
            found.append(row)
            if stated.day != first.day:
                row.refuse(f"Row {first.row} of this entry has another day.")
            of_tax, tax = self._taxed(row, stated, contra)
            for account, sign in ((row.account, 1), (contra, -1)):
                if account is not None:
                    posting = self._posting(stated, account, sign)
                    postings.append({**posting, **tax} if account is of_tax else posting)
                    owners.append(row)
                    if account.id in self._feeds:
                        sentence = manual_entries.OF_BANK.format(name=account.name)
                        self.doing.warn(manual_entries.ON_BANK, sentence)
            self._state(row, self._posting(stated, row.account) if row.account else None)
        is_closing = any(each.source == "closing" for each in group)
        described = next((each.description for each in group if each.description), "")
        self._try(
            found,
            first.day or date.min,
            postings,
            described,
            source="manual",
            is_closing=is_closing,
            owners=owners,
            bill=self._bill(group, found),
        )
        return found

    def _taxed(
        self, row: MovedRow, stated: StatedPosting, contra: Account | None
    ) -> tuple[Account | None, TaxInput]:
        """Give the tax of a row of a journal, whose amount has it, and the account of its two that takes it."""
        if stated.tax_code is None:
            if stated.tax_point is not None:
                row.refuse("A tax point is of a tax code; give the row one, or leave its tax point out.")
            return None, {}
        code = self._code(row, stated.tax_code)
        tax: TaxInput = {
            "tax_code_id": code.id if code else None,
            "tax_point": stated.tax_point or stated.day,
        }
        both = [each for each in (row.account, contra) if each is not None]
        takes = [each for each in both if not (self._is_elsewhere(each) or codes.takes_none(each))]
        return next(iter([*takes, *both]), None), tax

    def _bill(self, group: Sequence[StatedPosting], rows: Sequence[MovedRow]) -> Document | None:
        """Make the bill of an entry whose rows say when it came; without a file, and not filed yet."""
        first = next((each for each in group if each.received_on is not None), None)
        if first is None:
            return None
        for row, stated in zip(rows, group, strict=True):
            if stated.received_on not in (None, first.received_on):
                row.refuse(f"Row {first.row} of this entry came on another day.")
        return Document(
            organization_id=self._here,
            document_type="BILL",
            side="PURCHASE",
            number=first.number,
            sender=next((each.party for each in group if each.party), None),
            issued_on=first.day,
            received_on=first.received_on,
            set_by_hand=[],
            created_at=self.doing.now,
        )

    def _posting(self, stated: StatedPosting, account: Account, sign: int = 1) -> PostingInput:
        """Write a row as a posting; only accounts that keep items have parties and numbers."""
        base = stated.amount_base
        posting: PostingInput = {
            "account_id": account.id,
            "amount": sign * stated.amount,
            "currency": stated.currency or account.currency or self.organization.base_currency,
        }
        if base is not None and posting["currency"] != self.organization.base_currency:
            posting["amount_base"] = sign * base
        if account.keeps_items:
            posting["reference"], posting["due_on"] = stated.number, stated.due_on
        if stated.party is not None and (account.keeps_items or account.requires_counterparty):
            posting["org_merchant_id"] = self._parties[stated.party]
        return posting

    def _state(self, row: MovedRow, posting: PostingInput | None) -> None:
        if posting is not None:
            try:
                currency = posting.get("currency") or self.organization.base_currency
                row.amount = money_at(posting["amount"], currency, "amount")
            except LedgerError as error:
                row.refuse(error)

    def _try(
        self,
        rows: Sequence[MovedRow],
        day: date,
        postings: Sequence[PostingInput],
        description: str,
        *,
        source: str,
        is_closing: bool = False,
        owners: Sequence[MovedRow] = (),
        bill: Document | None = None,
    ) -> None:
        """Post the entry of rows that nothing stands against; what the books refuse is said in the row it is of.

        `owners` are the rows of the postings; what is of none of them is said in the first row.
        """
        if any(row.problem for row in rows):
            return
        try:
            with db.session.begin_nested():
                entry = self._post(
                    day, postings, description, source=source, is_closing=is_closing, bill=bill
                )
        except LedgerError as error:
            path, said = next(iter(dict(error.fields or {}).items()), ("", [str(error)]))
            place = path.removeprefix("rows.").partition(".")[0]
            owner = owners[int(place)] if place.isdecimal() and int(place) < len(owners) else rows[0]
            owner.refuse(said[0])
            return
        for row in rows:
            row.entry_id = entry.id

    def _post(
        self,
        day: date,
        postings: Sequence[PostingInput],
        description: str,
        *,
        source: str,
        is_closing: bool = False,
        bill: Document | None = None,
    ) -> JournalEntry:
        if bill is not None:
            db.session.add(bill)
            db.session.flush()
        if source == "opening":
            postings = [*postings, *self._against(postings)]
        legs = legs_of(self.organization, postings, day, name="rows")
        entries.check_near(self._here, day, self.doing.now, force=self.force)
        if not self.force:
            entry_questions.ask_about_numbers(self._here, legs)
        mirrored: Sequence[Leg] = line_drafts.mirror_legs(self.organization, legs, day, is_written=True)
        entry = entries.add_draft(
            self.organization,
            day,
            mirrored,
            source=source,
            description=description[:255],
            now=self.doing.now,
            document_id=bill.id if bill else None,
            is_closing=is_closing,
        )
        closing_entries.check(entry, mirrored)
        entries.post(entry, self.doing)
        closing_entries.warn_of_likeness(entry, mirrored, self.doing)
        return entry

    def _against(self, postings: Iterable[PostingInput]) -> Iterator[PostingInput]:
        """Give the other side on the opening balances, in the base currency where postings say what they are there."""
        base, sums = self.organization.base_currency, dict[str, Decimal]()
        for each in postings:
            own = each.get("amount_base")
            currency = str(base if own is not None else each.get("currency"))
            sums[currency] = sums.get(currency, Decimal(0)) + (each["amount"] if own is None else own)
        opening = accounts.by_role(self._here, Role.OPENING_BALANCES).id
        for currency, amount in sums.items():
            if amount:
                yield {"account_id": opening, "amount": -amount, "currency": currency}

    def _found(self, row: MovedRow, text: str | None) -> Account | None:
        found = self._find(text or "")
        if found is None:
            row.refuse(f"The books have no account {cited(text or '')}; move its chart in, or open it.")
        elif found.is_archived:
            row.refuse(f"{cited(found.name)} is archived; restore it first.")
        return found

    def _find(self, text: str, *, is_path: bool = True) -> Account | None:
        """Find an account by its code, its name, "1200 Bank", or the last part of the path "Banks:Bank"."""
        code, _, name = text.partition(" ")
        tail = [text.rpartition(":")[2]] if is_path else []
        # "Car insurance" has no code before its name, and is not "Insurance".
        numbered = [name.lstrip("·-\u2013 ")] if any(map(str.isdigit, code)) else []
        for wanted in (text, *numbered, *tail):
            folded = wanted.casefold()
            for each in self._accounts:
                if each.code == wanted or (wanted and each.name.casefold() == folded):
                    return each
        return next((each for each in self._accounts if name and each.code == code), None)

    def _control(self, row: MovedRow, stated: StatedPosting) -> Account | None:
        """Find the one account of items on the side of an amount."""
        is_owed = stated.amount < 0 if self.is_bill is None else self.is_bill
        type_ = AccountType.LIABILITY if is_owed else AccountType.ASSET
        keeping = [
            each
            for each in self._accounts
            if each.keeps_items and each.type == type_ and each.role is None and not each.is_archived
        ]
        if len(keeping) == 1:
            return keeping[0]
        named = ", ".join(cited(each.name) for each in keeping) or "none"
        row.refuse(f"Add a column with its account; of this side the books have {named}.")
        return None

    def _code(self, row: MovedRow, code: str) -> TaxCode | None:
        found: TaxCode | None = db.session.scalar(
            sa.select(TaxCode).where(TaxCode.organization_id == self._here, TaxCode.code == code)
        )
        if found is None:
            row.refuse(f"The books have no tax code {cited(code)}.")
        return found

    def _know(self, names: Iterable[str]) -> None:
        """Find the customers and suppliers of some names, and add those that the books have not."""
        wanted = [*dict.fromkeys(names)]
        self._parties = merchants.called(self._here, wanted)
        for name in wanted:
            if name not in self._parties:
                made = Merchant(
                    organization_id=self._here, name=name, vat_ids=[], ibans=[], created_at=self.doing.now
                )
                db.session.add(made)
                db.session.flush()
                self._parties |= {each: made.id for each in wanted if each.casefold() == name.casefold()}
