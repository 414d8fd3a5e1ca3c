"""Changing what is stored: only what differs is written, and the audit trail gets it as it was and as it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from webapp.db import db
from webapp.ledger.canonical import camel
from webapp.ledger.errors import UnprocessableError
from webapp.services.audit.act import Act


class NothingToChangeError(UnprocessableError):
    """Say what to change; nothing was sent."""

    code = "nothing_to_change"


def change(row: Any, changes: Mapping[str, Any], doing: Act, now: datetime) -> None:
    """Write what differs from what a row says; where nothing does, the act is not recorded."""
    if not changes:
        raise NothingToChangeError
    differing = {name: value for name, value in changes.items() if getattr(row, name) != value}
    if not differing:
        doing.nothing_to_do()
        return
    doing.before = facts(row, differing)
    for name, value in differing.items():
        setattr(row, name, value)
    if hasattr(row, "updated_at"):
        row.updated_at = now
    doing.after = facts(row, differing)
    db.session.flush()


def facts(row: object, names: Mapping[str, Any] | tuple[str, ...]) -> dict[str, Any]:
    """Give some of what a row says in JSON, for the audit trail."""
    return {camel(name): getattr(row, name) for name in names}


def payload(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Give what somebody asked for in JSON, for the audit trail."""
    return {camel(name): value for name, value in changes.items()}
