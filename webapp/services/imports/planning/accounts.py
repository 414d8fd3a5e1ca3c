"""Matching each statement of a file to a feed account, or planning to open one."""

from collections.abc import Sequence
from datetime import datetime

from webapp.importers.bank_files import BankFile, FileRefusedError, Statement
from webapp.importers.texts import account_label
from webapp.ledger import titles
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.lines import line_keys
from webapp.ledger.texts.legible import cited, plain
from webapp.models import FeedAccount, Organization
from webapp.queries.accounts.feed_accounts import active
from webapp.queries.common import lookups
from webapp.queries.imports import coverage
from webapp.queries.imports import imports as queried
from webapp.queries.matching import existing_lines
from webapp.services.accounts import feed_accounts
from webapp.services.accounts.feed_accounts import Opening, mask_of
from webapp.services.imports.planning.choices import NO_CHOICES, AccountChoice, Choices
from webapp.services.imports.planning.records import TargetAccount

LONGEST_NAME = 255


class AccountChoiceError(UnprocessableError):
    """This account of the file cannot be the one that was chosen; choose another one."""

    code = "account_choice"


class Assignment:
    """The target accounts of a file's statements, and warnings about how they were found."""

    def __init__(
        self,
        organization: Organization,
        file: BankFile,
        chosen: FeedAccount | None,
        choices: Choices = NO_CHOICES,
        *,
        asks: bool = False,
    ) -> None:
        """Begin with nothing assigned; `chosen` is the account for statements without a number.

        `choices` may name the feed account of each account of the file, where its number does not. With `asks` what
        is not certain becomes a question of the target; without it, several possible accounts are refused.
        """
        self.targets: list[TargetAccount] = []
        self.warnings: list[str] = []
        self._organization = organization
        self._format = file.format
        self._chosen = chosen
        self._choices = choices
        self._asks = asks
        self._layout = file.columns.layout if file.columns else None
        self._question, self._candidates = "", list[FeedAccount]()
        self._taken: dict[int, tuple[str | None, str | None]] = {}
        self._numbers = {statement.external_id for statement in file.statements if statement.external_id}
        for statement in file.statements:
            self._find(statement).statements.append(statement)

    def _find(self, statement: Statement) -> TargetAccount:
        """Find the target account of a statement, or make one; raises FileRefusedError where several are possible."""
        self._question, self._candidates = "", []
        choice = self._choices.account(statement.external_id, statement.currency)
        decided = self._decided(statement, choice)
        choice = None if decided else choice
        if choice is not None:
            found = None if choice.fa_id is None else self._as_chosen(statement, choice.fa_id)
        elif statement.external_id is None:
            found = self._unnumbered(statement)
        else:
            found = decided or (self._chosen if self._may_take_number(statement) else None)
        opens_in = choice.opens_in if choice and not statement.currency else None
        currency = found.currency if found else opens_in or self._currency(statement)
        if statement.currency is None:
            of = f"{_account_name(statement)}: the" if statement.external_id else "The"
            self.warnings.append(f"{of} file names no currency. Read as {currency}.")
        if found is not None and not found.is_active:
            self.warnings.append(
                f"{found.name} is switched off: its lines were read, and the hub does not show it."
            )
        count = len(self.targets)
        target = self._target(statement, found, currency)
        if self._question:
            target.question, target.candidates = self._question, self._candidates
        elif found is None and choice is None and len(self.targets) > count:
            self._warn_of_new(statement, target.name)
        target.is_decided = target.is_decided or decided is not None
        if choice is not None and found is None:
            # A name that was only proposed follows the currency that was chosen.
            is_own = choice.name != proposed_name(statement, self._currency(statement))
            target.name, target.type = (is_own and choice.name) or target.name, choice.type
        return target

    def _ask(self, question: str, candidates: list[FeedAccount]) -> None:
        """Leave the account of a statement to a person, who may also open a new one."""
        self._question, self._candidates = question, candidates

    def _decided(self, statement: Statement, choice: AccountChoice | None) -> FeedAccount | None:
        """Find the account that the file's number names, unless there are several and one is chosen."""
        number = statement.external_id
        if number is None:
            return None
        found = existing_lines.by_number(self._organization.id, number, statement.currency)
        if len(found) > 1 and self._asks:
            if choice is None:
                self._ask(
                    f"The file names no currency, and account {number} is there in several. Which one is it?",
                    found,
                )
            return None
        if len(found) > 1:
            raise _unclear(f"The file names no currency, and account {number} is there in several", found)
        chosen = self._chosen
        if found:
            if chosen is not None and found[0].id != chosen.id:
                self.warnings.append(
                    f"Account {number} is {found[0].name}, so its lines go there, not to {chosen.name}."
                )
            return found[0]
        return None

    def _as_chosen(self, statement: Statement, fa_id: int) -> FeedAccount:
        """Give the chosen account, or raise why it cannot be this one."""
        chosen = lookups.refer(FeedAccount, self._organization.id, fa_id, "accounts")
        number = statement.external_id
        if statement.currency not in (None, chosen.currency):
            raise AccountChoiceError(
                f"{_account_name(statement)} is in {statement.currency}, and {cited(chosen.name)} in {chosen.currency}."
                " Choose another account."
            )
        if number is not None and chosen.external_id not in (None, number):
            raise AccountChoiceError(
                f"{cited(chosen.name)} has the number {chosen.external_id}, and the file is of {number}."
                " Open a new account for it."
            )
        named = number, statement.currency
        if self._taken.setdefault(chosen.id, named) != named:
            raise AccountChoiceError(
                f"Two accounts of the file cannot both be {cited(chosen.name)}. Choose another one for"
                f" {number or 'one'}."
            )
        return chosen

    def _may_take_number(self, statement: Statement) -> bool:
        """Return whether the chosen account takes this number: it has none yet, and the file has no other."""
        chosen = self._chosen
        return (
            chosen is not None
            and chosen.external_id is None
            and len(self._numbers) == 1
            and statement.currency in (None, chosen.currency)
        )

    def _unnumbered(self, statement: Statement) -> FeedAccount | None:
        chosen = self._chosen
        if chosen is not None:
            if statement.currency in (None, chosen.currency):
                return chosen
            apart = f"The file is in {statement.currency}, and {cited(chosen.name)} in {chosen.currency}."
            if not self._asks:
                raise FileRefusedError(f"{apart} Choose another account.")
            self._ask(f"{apart} Which account is it?", self._fitting(statement))
            return None
        if self._asks:
            return self._evident(statement)
        found = existing_lines.without_number(self._organization.id, self._format, statement.currency)
        if len(found) > 1:
            raise _unclear("The file names no account, and several could be meant", found)
        return found[0] if found else None

    def _fitting(self, statement: Statement) -> list[FeedAccount]:
        """List the accounts that a statement without a number may be of."""
        others = active(self._organization.id)
        return [each for each in others if statement.currency in (None, each.currency)]

    def _evident(self, statement: Statement) -> FeedAccount | None:
        """Find the one account that has lines of the statement, whose balance it goes on from, or whose layout it has.

        Where others are possible a person is asked: that an account is the only one says nothing about the file.
        """
        fitting = self._fitting(statement)
        keys = {key.digest for key in line_keys(statement.lines)}
        has_lines = [each for each in fitting if existing_lines.counts_of_keys(each, keys)]
        joins = [each for each in fitting if self._goes_on(statement, each)]
        taken = queried.of_layout(self._organization.id, self._layout) if self._layout else set()
        has_layout = [each for each in fitting if each.id in taken]
        for found in (has_lines, joins, has_layout):
            if len(found) == 1:
                return found[0]
        if fitting:
            self._ask("Does this file belong to one of your accounts?", fitting)
        return None

    def _goes_on(self, statement: Statement, account: FeedAccount) -> bool:
        """Tell whether a statement opens with the balance, which is not nil, that the one before it closed with."""
        opening = statement.opening
        if opening is None or not opening.amount:
            return False
        first = min((line.booked_on for line in statement.lines), default=opening.day)
        closed = [
            each
            for each in coverage.statements(self._organization.id, account.id)
            if first and each.last <= first
        ]
        last = max(closed, key=lambda each: each.last, default=None)
        return last is not None and last.closing is not None and last.closing.decimal == opening.amount

    def _warn_of_new(self, statement: Statement, name: str) -> None:
        """Warn that a file opens a new account, where others are there that it may be of."""
        number, currency = statement.external_id, self._currency(statement)
        others = active(self._organization.id)
        if not others:
            return
        opens = (
            f"a new one: {name}" if name.endswith(f" in {currency}") else f"a new one: {name} in {currency}"
        )
        same = existing_lines.by_number(self._organization.id, number, None) if number is not None else []
        if same:
            there = titles.listed([f"{_with_id(each)} in {each.currency}" for each in same])
            self.warnings.append(
                f"Account {number} is {there}. The file is in {currency}, so its lines open {opens}."
            )
            return
        fitting = [
            each for each in others if each.currency == currency and each.external_id in (None, number)
        ]
        if number is None:
            why, fitting = "The file names no account", [each for each in others if each.currency == currency]
        else:
            why = f"No account has the number {number}"
        named = titles.listed([_with_id(each) for each in fitting or others])
        hint = (
            f"If it belongs to one of your accounts, choose it for this file: {named}."
            if fitting
            else f"Your accounts have other currencies or numbers: {named}."
        )
        self.warnings.append(f"{why}, so its lines open {opens}. {hint}")

    def _currency(self, statement: Statement) -> str:
        return statement.currency or self._organization.base_currency

    def _target(self, statement: Statement, found: FeedAccount | None, currency: str) -> TargetAccount:
        """Give the target account that other statements of the file have already, or a new one."""
        for target in self.targets:
            is_same = (
                target.fa_id == found.id
                if found
                else target.fa_id is None
                and (target.external_id, target.currency) == (statement.external_id, currency)
            )
            if is_same:
                break
        else:
            target = TargetAccount(
                currency=currency,
                external_id=found.external_id if found else statement.external_id,
                name=found.name if found else self._free_name(statement, currency),
                feed_account=found,
                named=(statement.external_id, statement.currency),
            )
            self.targets.append(target)
        if target.external_id is None and statement.external_id is not None:
            target.external_id, target.takes_number = statement.external_id, True
        return target

    def _free_name(self, statement: Statement, currency: str) -> str:
        """Propose a name; of two alike in a file the second adds its currency, or its number if that differs."""
        name, number = proposed_name(statement, currency), statement.external_id
        alike = [target.external_id for target in self.targets if target.name == name]
        if not alike:
            return name
        other = f" in {currency}" if number is None or number in alike else f", {number}"
        return f"{name[: LONGEST_NAME - len(other)]}{other}"[:LONGEST_NAME]


def begin_missing(
    targets: Sequence[TargetAccount], organization_id: str, bank_format: str, *, now: datetime
) -> None:
    """Begin to open the feed accounts that do not exist yet."""
    for target in targets:
        if target.feed_account is None:
            opening = _opening(target, bank_format)
            target.feed_account = feed_accounts.begin_account(organization_id, opening, now=now)
            target.opening = opening


def finish_missing(targets: Sequence[TargetAccount], *, now: datetime) -> list[FeedAccount]:
    """Finish opening accounts, and give numbers to those without; answers the opened ones."""
    opened = []
    for target in targets:
        feed_account = target.feed_account
        if feed_account is not None and target.opening is not None:
            feed_accounts.finish_account(feed_account, target.opening, now=now)
            opened.append(feed_account)
        elif feed_account is not None and target.takes_number:
            feed_account.external_id = target.external_id
            feed_account.mask = feed_account.mask or mask_of(target.external_id)
    return opened


def _opening(target: TargetAccount, bank_format: str) -> Opening:
    first = target.statements[0]
    institution = next(
        (statement.institution for statement in target.statements if statement.institution), None
    )
    return Opening(
        name=target.name,
        currency=target.currency,
        type=target.type or ("LIABILITY" if first.kind == "CARD" else "ASSET"),
        external_id=target.external_id,
        institution_name=institution[:LONGEST_NAME] if institution else None,
        created_by_format=bank_format,
    )


def proposed_name(statement: Statement, currency: str) -> str:
    """Propose a name for an account that a file opens.

    >>> proposed_name(Statement("DE89370400440532013000", "EUR", (), institution="Lantern Bank"), "EUR")
    'Lantern Bank ··3000'
    >>> proposed_name(Statement(None, "USD", (), kind="CARD"), "USD")
    'Card in USD'
    """
    if statement.name and (named := plain(statement.name).strip()):
        return named[:LONGEST_NAME]
    kind = "Card" if statement.kind == "CARD" else "Account"
    mask = mask_of(statement.external_id)
    return (
        f"{(statement.institution or kind)[: LONGEST_NAME - 20]} {f'··{mask}' if mask else f'in {currency}'}"
    )


def _with_id(account: FeedAccount) -> str:
    return f"{account.name} (faId {account.id})"


def _account_name(statement: Statement) -> str:
    return account_label(statement.external_id)


def _unclear(sentence: str, found: Sequence[FeedAccount]) -> FileRefusedError:
    named = ", ".join(f"{cited(each.name)} in {each.currency} (faId {each.id})" for each in found)
    return FileRefusedError(
        f"{sentence}: {named}. Choose one of them for this file.",
        details={"faIds": [each.id for each in found]},
    )
