"""What every inverse of an act takes, and the two errors by which an act stays."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NoReturn, TypedDict

from webapp.ledger.errors import LedgerError
from webapp.models import ActionRequest
from webapp.services.audit.act import Actor


class StaysError(LedgerError):
    """This cannot be undone here; check it, and correct it by hand."""

    code = "stays"


class ChangedSinceError(LedgerError):
    """Somebody changed it since, so it is left as it is."""

    code = "changed_since"


class By(TypedDict):
    """Who acts and when: two arguments of every service."""

    actor: Actor
    now: datetime


@dataclass(slots=True)
class Undoing:
    """Who undoes acts, the newest first, and why; `folder` keeps previewed files.

    What is restored has another id, which `moved` has by its kind and its earlier id.
    """

    actor: Actor
    now: datetime
    reason: str
    folder: Path
    moved: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def by(self) -> By:
        """Give who acts and when, as services take it."""
        return {"actor": self.actor, "now": self.now}

    def move(self, kind: str, old_id: int, new_id: int) -> None:
        """Store the new id of something that is restored."""
        self.moved[kind, old_id] = new_id

    def present_id(self, kind: str, old_id: int) -> int:
        """Give the present id of something."""
        while (kind, old_id) in self.moved:
            old_id = self.moved[kind, old_id]
        return old_id

    def target_id(self, request: ActionRequest) -> int:
        """Give the present id of an act's target."""
        return self.present_id(request.target_kind, int(request.target_id))


def stay(sentence: str) -> NoReturn:
    """Leave an act as it is, for a reason."""
    raise StaysError(sentence)


def require_same(present: Mapping[str, object], written: Mapping[str, object] | None) -> None:
    """Raise ChangedSinceError unless everything that an act wrote is still so."""
    if any(present.get(name) != value for name, value in (written or {}).items()):
        raise ChangedSinceError
