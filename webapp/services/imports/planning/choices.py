"""The choices of a person for an import: the feed accounts of its statements, and which lines are duplicates."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.matching.joins import Pairing
from webapp.services.imports.planning.records import AccountPlan, PlannedLine

SAME = "A person decided that it is this line."
OWN = "A person decided that it is a new line."


class NotDoubtfulError(UnprocessableError):
    """Only a possible duplicate can be decided, and only as one of the lines that it may be."""

    code = "not_doubtful"


@dataclass(frozen=True, slots=True)
class AccountChoice:
    """The feed account chosen for an account of the file, or without `fa_id` a new one of this name and type.

    `opens_in` is the currency of a new one, where the file names none.
    """

    external_id: str | None
    currency: str | None
    fa_id: int | None = None
    name: str | None = None
    type: str | None = None
    opens_in: str | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """All choices; `decisions` give for a line's position in the file the existing line that it is, none for a new one.

    `rest` decides the possible duplicates that are not named: `SAME` takes each for the line that it may be.
    """

    accounts: Sequence[AccountChoice] = ()
    decisions: Mapping[int, int | None] = field(default_factory=dict)
    rest: str | None = None

    def account(self, external_id: str | None, currency: str | None) -> AccountChoice | None:
        """Find the choice for an account of the file."""
        named = (external_id, currency)
        return next((each for each in self.accounts if (each.external_id, each.currency) == named), None)


NO_CHOICES = Choices()


def decide(accounts: Sequence[AccountPlan], choices: Choices) -> None:
    """Set the verdicts that a person chose for possible duplicates; raises NotDoubtfulError by the first misfit.

    A line that is the same adds nothing. It is stored as another report of the existing line, so that the same file
    finds it again, and it is deleted with its import.
    """
    if not choices.decisions and choices.rest is None:
        return
    doubtful = dict(_doubtful(accounts))
    open_ = possible(doubtful.values())
    for position, line_id in sorted(choices.decisions.items()):
        line = doubtful.pop(position, None)
        if line is None:
            raise _misfit(position)
        if line_id is None:
            _set_new(line)
        elif line_id in open_[_key(line)]:
            open_[_key(line)].remove(line_id)
            _set_same(line, line_id)
        else:
            raise _misfit(position)
    if choices.rest == "SAME":
        for line in doubtful.values():
            if open_[_key(line)]:
                _set_same(line, open_[_key(line)].pop(0))


def possible(lines: Iterable[PlannedLine]) -> dict[tuple[date, int], list[int]]:
    """Give the existing lines that possible duplicates of a day and amount may be, each once."""
    found: dict[tuple[date, int], list[int]] = defaultdict(list)
    for line in lines:
        if line.duplicate is not None and line.duplicate.kept_id not in found[_key(line)]:
            found[_key(line)].append(line.duplicate.kept_id)
    return found


def _doubtful(accounts: Sequence[AccountPlan]) -> Iterator[tuple[int, PlannedLine]]:
    position = -1
    for account in accounts:
        for row in account.rows():
            position += 1
            if isinstance(row, PlannedLine) and row.verdict == "POSSIBLY_THERE":
                yield position, row


def _key(line: PlannedLine) -> tuple[date, int]:
    return line.line.booked_on, line.amount_minor


def _set_same(line: PlannedLine, line_id: int) -> None:
    line.verdict, line.existing_id, line.reason = "ALREADY_THERE", line_id, SAME
    line.duplicate = Pairing(line_id, 0, "PERSON", is_certain=True, reason=SAME)


def _set_new(line: PlannedLine) -> None:
    line.verdict, line.reason, line.duplicate = "NEW", OWN, None


def _misfit(position: int) -> NotDoubtfulError:
    sentence = f"The line at position {position} is no possible duplicate, or not of the line that was named."
    return NotDoubtfulError(sentence, fields={"decisions": [sentence]}, details={"position": position})
