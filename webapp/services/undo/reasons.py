"""What every inverse of an act is given, and the two reasons for which an act stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn, TypedDict

from webapp.ledger.errors import LedgerError
from webapp.models import ActionRequest
from webapp.services.audit.act import Actor


class StaysError(LedgerError):
    """There is no way back from this; look at it, and write what should be there."""

    code = "stays"


class ChangedSinceError(LedgerError):
    """Somebody changed it since, so it is left as it is."""

    code = "changed_since"


class By(TypedDict):
    """Who acts, and when, as services take it."""

    actor: Actor
    now: datetime


@dataclass(slots=True)
class Undoing:
    """Who undoes what somebody did, the newest act first, and why; `folder` keeps previewed files.

    What comes back comes under another id, which `moved` knows by its kind and the id that it had.
    """

    actor: Actor
    now: datetime
    reason: str
    folder: Path
    moved: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def by(self) -> By:
        """Give who acts, and when, as services take it."""
        return {"actor": self.actor, "now": self.now}

    def move(self, kind: str, old_id: int, new_id: int) -> None:
        """Remember under which id something is there again."""
        self.moved[kind, old_id] = new_id

    def present_id(self, kind: str, old_id: int) -> int:
        """Give the id that something has by now."""
        while (kind, old_id) in self.moved:
            old_id = self.moved[kind, old_id]
        return old_id

    def target_id(self, request: ActionRequest) -> int:
        """Give the id that an act's target has by now."""
        return self.present_id(request.target_kind, int(request.target_id))


def stay(sentence: str) -> NoReturn:
    """Leave an act as it is, and say why."""
    raise StaysError(sentence)


def demand_same(present: Mapping[str, Any], said: Mapping[str, Any] | None) -> None:
    """Raise ChangedSinceError unless everything that an act wrote still stands there."""
    if any(present.get(name) != value for name, value in (said or {}).items()):
        raise ChangedSinceError
