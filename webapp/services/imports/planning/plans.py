"""What an import of a file would do to the books, account by account, before anything is written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from webapp import importers
from webapp.importers.bank_files import FileRefusedError, SkippedRow, StatedBalance
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.explanations import BankAmount
from webapp.ledger.money import MAX_MINOR, Money
from webapp.ledger.texts.legible import cited
from webapp.models import FeedAccount, Organization
from webapp.queries.matching import booked_by_hand
from webapp.services.imports.planning import batch_splits, verdicts
from webapp.services.imports.planning import choices as import_choices
from webapp.services.imports.planning.accounts import Assignment
from webapp.services.imports.planning.choices import NO_CHOICES, Choices
from webapp.services.imports.planning.records import (
    AccountPlan,
    Plan,
    PlannedLine,
    Reading,
    TargetAccount,
    place,
)
from webapp.services.ingestion import closed_days


def read(data: bytes, mapping: Mapping[str, object] | None = None) -> Reading:
    """Read a file as far as that needs no books, so that nobody waits for it; raises FileRefusedError."""
    file = importers.read(data, mapping=mapping)
    grouped: dict[tuple[str | None, str | None], list[Any]] = {}
    for statement in file.statements:
        if statement.currency is not None:
            grouped.setdefault((statement.external_id, statement.currency), []).append(statement)
    measured = {key: verdicts.measured(statements, key[1] or "") for key, statements in grouped.items()}
    return Reading(file, measured)


def plan(
    organization: Organization,
    reading: Reading,
    chosen: FeedAccount | None,
    choices: Choices = NO_CHOICES,
    *,
    asks: bool = False,
) -> Plan:
    """Compare a file with the books as they are now; raises FileRefusedError where it cannot be imported.

    With `asks` an account that is not certain is a question of its target, for a person to answer.
    Choices that do not fit it raise NotDoubtfulError or AccountChoiceError.
    """
    assignment = Assignment(organization, reading.file, chosen, choices, asks=asks)
    warnings = [*reading.file.warnings, *assignment.warnings]
    accounts = [_account(target, reading, warnings) for target in assignment.targets]
    for account in accounts:
        feed_account = account.target.feed_account
        account.lines, sentences = batch_splits.set_verdicts(account.lines, feed_account, reading.file.format)
        warnings += sentences
        _refuse_too_large(account)
    _attribute(reading.file.skipped, accounts)
    import_choices.decide(accounts, choices)
    possible = sum(line.verdict == "POSSIBLY_THERE" for account in accounts for line in account.lines)
    if possible:
        warnings.append(
            f"{possible:,} of the lines may be duplicates from another source; check them before confirming."
        )
    warnings += _by_hand(organization.id, accounts)
    return Plan(organization.id, reading.file, accounts, warnings, list(_closed(organization, accounts)))


def _closed(organization: Organization, accounts: Sequence[AccountPlan]) -> Iterator[tuple[str, str]]:
    """Warn of accounts whose new lines are of closed days."""
    for account in accounts:
        target = account.target
        lines = [(line.line.booked_on, line.amount_minor) for line in account.added]
        yield from closed_days.warnings(
            organization, target.feed_account, target.name, target.currency, lines
        )


def _by_hand(organization_id: str, accounts: Sequence[AccountPlan]) -> Iterator[str]:
    """Warn of accounts whose new lines are in the books already, by entries that were written by hand."""
    for account in accounts:
        feed_account = account.target.feed_account
        if feed_account is None:
            continue
        amounts = {
            index: BankAmount(
                feed_account.account_id, feed_account.currency, line.amount_minor, line.line.booked_on
            )
            for index, line in enumerate(account.added)
        }
        count = len(booked_by_hand.of_amounts(organization_id, amounts))
        if count:
            yield (
                f"{account.target.name}: {count:,} of the lines may be in the books already, by an entry that was "
                "written by hand; their rows name it."
            )


def _refuse_too_large(account: AccountPlan) -> None:
    """Refuse lines whose sum 64 bits cannot hold, for no balance could be stored after them."""
    if sum(abs(line.amount_minor) for line in account.lines) > MAX_MINOR:
        raise FileRefusedError(
            f"The lines of {cited(account.target.name)} add up to more than the books can hold."
        )


def _account(target: TargetAccount, reading: Reading, warnings: list[str]) -> AccountPlan:
    openings = [_stated(each.opening, target, warnings) for each in target.statements if each.opening]
    closings = [_stated(each.closing, target, warnings) for each in target.statements if each.closing]
    return AccountPlan(target, _measured(target, reading), min(openings, key=place, default=None), closings)


def _measured(target: TargetAccount, reading: Reading) -> list[PlannedLine]:
    """Give the measured lines, or measure them now where only the books have their currency."""
    first = target.statements[0]
    key = first.external_id, first.currency
    found = reading.measured.get(key)
    if found is None or any((each.external_id, each.currency) != key for each in target.statements):
        found = verdicts.measured(target.statements, target.currency)
    return found


def _stated(
    balance: StatedBalance, target: TargetAccount, warnings: list[str]
) -> tuple[Money, StatedBalance]:
    """Read a stated balance in the currency's digits; one that has more is rounded with a warning."""
    try:
        amount = Money.rounded(balance.amount, target.currency)
    except UnprocessableError as error:
        raise FileRefusedError(f"The balance of {cited(target.name)}: {error}") from None
    if amount.decimal != balance.amount:
        warnings.append(f"{target.name}: the balance {balance.amount:f} was rounded to {amount.formatted}.")
    return amount, balance


def _attribute(skipped: Iterable[SkippedRow], accounts: Sequence[AccountPlan]) -> None:
    """Count each skipped row with the account whose lines it is among; before all lines, with the first."""
    if not accounts:
        return
    begins = [(min((line.line.row for line in account.lines), default=0), account) for account in accounts]
    for row in skipped:
        before = [pair for pair in begins if pair[0] <= row.row]
        (max(before, key=lambda pair: pair[0])[1] if before else accounts[0]).skipped.append(row)
