"""Who acts and what they do: the two nouns of every write."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

from webapp.ledger.errors import LedgerError
from webapp.ledger.references import Kind, Ref, references


class PersonNeededError(LedgerError):
    """Only somebody who signed in may do this; a key may not."""

    status = 403
    code = "person_needed"


@dataclass(frozen=True, slots=True)
class Actor:
    """The one who acts in one organization; `kind` is PERSON, TOKEN, COMMAND or SYSTEM.

    `user_id` is the person behind a token; `request_id` and `address` go into the audit trail. `counts_for` is the
    token whose caps hold: none for what a person decides on, and the one that approves where a token does. `note` is
    why, for each act that has no note of its own. What `is_late` may post to a period of which a tax return is filed.
    `is_admin` may change the settings, and so say why a locked figure moves.
    """

    organization_id: str
    kind: str
    id: int | None
    name: str
    user_id: int | None = None
    request_id: str = ""
    address: str | None = None
    counts_for: int | None = None
    is_admin: bool = False
    note: str = ""
    is_late: bool = False

    def demand_person(self, *, or_decided: bool = False) -> None:
        """Refuse a key, unless a person decides on its proposal; what nobody may propose is no such case."""
        if self.kind == "TOKEN" and not (or_decided and self.counts_for is None):
            raise PersonNeededError

    def as_json(self) -> dict[str, object]:
        """Give what everybody may see of who acted."""
        return {"kind": self.kind, "id": self.id, "name": self.name}


@dataclass(slots=True)
class Act:
    """What somebody is about to do; a service fills in `before`, `after`, `result` and `title` as it learns them.

    What it says is JSON in which ids are references: they name what it changed, whatever their keys are called.

    `moved` are the accounts that its entries move in another currency than the base, each with that currency, and
    `foreign_from` is the first day that their legs in such currencies are of. `warnings` are what to look at once more,
    each with its code: whoever asked for the act is told.
    `stood` are the settlements that it made and `undone` those that it ended, each with the day on which its money came
    back, if it did; `corrected` are the entries that it corrected or voided.
    `figures` finds the figure of a locked day that it moved.
    `when_refused` is done beside the record of a refusal, after everything else was rolled back.
    """

    actor: Actor
    now: datetime
    kind: str
    target_kind: str
    target_id: str
    title: str = ""
    note: str = ""
    payload: Mapping[str, object] = field(default_factory=dict)
    before: dict[str, object] | None = None
    after: dict[str, object] | None = None
    result: dict[str, object] | None = None
    id: str = ""
    is_void: bool = False
    moved: set[tuple[int, str]] = field(default_factory=set)
    foreign_from: date | None = None
    stood: set[int] = field(default_factory=set)
    undone: dict[int, date | None] = field(default_factory=dict)
    corrected: set[int] = field(default_factory=set)
    warnings: list[tuple[str, str]] = field(default_factory=list)
    figures: Callable[[], Any] | None = None
    when_refused: Callable[[LedgerError], None] | None = None

    @property
    def target(self) -> Ref | None:
        """The row that it is about, where that is one of the books."""
        is_row = self.target_kind in set(Kind) and self.target_id.isdecimal() and self.target_id.isascii()
        return Ref(Kind(self.target_kind), int(self.target_id)) if is_row else None

    @property
    def references(self) -> list[Ref]:
        """All rows that it names."""
        return list(references([self.target, self.payload, self.before, self.after, self.result]))

    def warn(self, code: str, sentence: str) -> None:
        """Say what to look at once more."""
        if (code, sentence) not in self.warnings:
            self.warnings.append((code, sentence))

    def moves_foreign(self, day: date) -> None:
        """Note that legs in other currencies of a day changed."""
        self.foreign_from = day if self.foreign_from is None else min(day, self.foreign_from)

    def nothing_to_do(self) -> None:
        """Say that nothing changes, so that nothing is recorded."""
        self.is_void = True


# What every act does at its end, within it: a service adds its own where it must look at all that an act posted.
CLOSINGS: Final[list[Callable[[Act], None]]] = []
