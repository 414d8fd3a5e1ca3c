"""The rows of an import preview, compared with the books as they are now."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from webapp.importers.bank_files import SkippedRow
from webapp.ledger.codes import VERDICTS
from webapp.ledger.money import Money
from webapp.models import FeedAccount, Import, Transaction
from webapp.queries.access import organizations
from webapp.queries.accounts import choices
from webapp.queries.common import lookups
from webapp.queries.common.paging import Page
from webapp.queries.common.records import record_of
from webapp.queries.imports import imports
from webapp.queries.imports.imports import ImportAccountRecord, ImportLineRecord, ImportRecord
from webapp.queries.transactions import transactions
from webapp.queries.transactions.transactions import TransactionRecord
from webapp.services.imports import uploads
from webapp.services.imports.planning import choices as import_choices
from webapp.services.imports.planning import plans
from webapp.services.imports.planning.choices import NO_CHOICES, Choices
from webapp.services.imports.planning.records import AccountPlan, Plan, PlannedLine, Reading


@dataclass(frozen=True, slots=True)
class PossibleDuplicate:
    """A possible duplicate of a file, beside the existing lines that it may be."""

    line: ImportLineRecord
    possible: list[TransactionRecord]


@dataclass(frozen=True, slots=True)
class OpenAccount:
    """An account of a file that its number does not decide, as the file names it, and those that it may be.

    `position` is its place among the accounts of the file.
    """

    position: int
    external_id: str | None
    stated_currency: str | None
    name: str
    fa_id: int | None
    type: str
    choices: list[FeedAccount]
    question: str


def open_accounts(plan: Plan) -> list[OpenAccount]:
    """List the accounts of a preview that somebody may choose, each with those of its currency that it may be."""
    existing = choices.feed_accounts(plan.organization_id)
    return [
        OpenAccount(
            position,
            *target.named,
            target.name,
            target.fa_id,
            target.type or ("LIABILITY" if target.statements[0].kind == "CARD" else "ASSET"),
            target.candidates
            or [
                each
                for each in existing
                if each.currency == target.currency and (target.named[0] is None or each.external_id is None)
            ],
            target.question,
        )
        for position, target in enumerate(account.target for account in plan.accounts)
        if not target.is_decided
    ]


def as_read(imported: Import, plan: Plan) -> ImportRecord:
    """Give the record of a preview with its accounts and warnings as they are now."""
    accounts, warnings = uploads.compared(
        imported, [account.as_json() for account in plan.accounts], plan.all_warnings
    )
    shown = [ImportAccountRecord.of(each) for each in accounts]
    return replace(imports.record(imported), accounts=shown, warnings=warnings)


def plan_of(imported: Import, reading: Reading, choices: Choices = NO_CHOICES) -> Plan:
    """Compare a previewed file with the books as they are now."""
    organization = organizations.get(imported.organization_id)
    chosen = (
        None
        if imported.feed_account_id is None
        else lookups.get(FeedAccount, organization.id, imported.feed_account_id)
    )
    return plans.plan(organization, reading, chosen, choices, asks=imported.reading.get("asks", False))


def possible_duplicates(
    organization_id: str, rows: Sequence[ImportLineRecord], *, most: int
) -> list[PossibleDuplicate]:
    """List the first possible duplicates of a preview beside the lines that they may be."""
    doubtful = [each for each in rows if each.possible_transaction_ids][:most]
    ids = {line_id for each in doubtful for line_id in each.possible_transaction_ids}
    lines = list(lookups.by_id(Transaction, organization_id, ids).values())
    existing = {each.id: each for each in transactions.records(organization_id, lines)}
    return [
        PossibleDuplicate(each, [existing[line_id] for line_id in each.possible_transaction_ids])
        for each in doubtful
    ]


def page(
    records: list[ImportLineRecord], *, verdict: str | None, after: int | None, limit: int
) -> Page[ImportLineRecord]:
    """Cut a page out of a list of rows; the key is the place of its last row among all."""
    chosen = [
        (place, each) for place, each in enumerate(records) if verdict is None or each.verdict == verdict
    ]
    shown = [(place, each) for place, each in chosen if after is None or place > after]
    next_key = (shown[limit - 1][0],) if len(shown) > limit else None
    return Page([each for _, each in shown[:limit]], next_key, len(chosen))


def counts(records: list[ImportLineRecord]) -> dict[str, int]:
    """Count rows by their verdict."""
    found = dict.fromkeys(VERDICTS, 0)
    for each in records:
        found[each.verdict] += 1
    return found


def added_sums(plan: Plan) -> list[Money]:
    """The sums of the lines that would be added, one for each currency."""
    sums: Counter[str] = Counter()
    for account in plan.accounts:
        sums[account.target.currency] += sum(line.amount_minor for line in account.added)
    return [Money(minor, currency) for currency, minor in sorted(sums.items())]


def records(plan: Plan) -> list[ImportLineRecord]:
    """List the rows of a preview in the order of the file."""
    doubtful = [
        line for account in plan.accounts for line in account.lines if line.verdict == "POSSIBLY_THERE"
    ]
    possible = import_choices.possible(doubtful)
    rows = [(account, row) for account in plan.accounts for row in account.rows()]
    return [
        _skipped(account, row, position)
        if isinstance(row, SkippedRow)
        else _line(account, row, position, possible)
        for position, (account, row) in enumerate(rows)
    ]


def _line(
    account: AccountPlan, planned: PlannedLine, position: int, possible: Mapping[tuple[date, int], list[int]]
) -> ImportLineRecord:
    line, currency = planned.line, account.target.currency
    is_doubtful = planned.verdict == "POSSIBLY_THERE"
    return record_of(
        ImportLineRecord,
        line,
        position=position,
        verdict=planned.verdict,
        reason=planned.reason,
        fa_id=account.target.fa_id,
        account_name=account.target.name,
        transaction_id=planned.existing_id,
        amount=Money(planned.amount_minor, currency),
        currency=currency,
        possible_transaction_ids=tuple(possible[line.booked_on, planned.amount_minor]) if is_doubtful else (),
    )


def _skipped(account: AccountPlan, row: SkippedRow, position: int) -> ImportLineRecord:
    return ImportLineRecord(
        row=row.row,
        position=position,
        verdict="SKIPPED",
        reason=row.reason,
        fa_id=account.target.fa_id,
        account_name=account.target.name,
        transaction_id=None,
        booked_on=None,
        amount=None,
        currency=None,
        description=row.text,
        counterparty=None,
        provider_transaction_id=None,
    )
