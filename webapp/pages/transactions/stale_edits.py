"""An edit of a line that somebody else has changed since its row was shown: who did, and what was wanted instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webapp.ledger.journal.shown_lines import ShownLine, ShownPart
from webapp.queries.audit import others_acts
from webapp.queries.transactions.part_names import PartNames
from webapp.web.access.auth import organization_id, principal
from webapp.web.rendering.forms import chosen_id, form_body

if TYPE_CHECKING:
    from datetime import datetime

    from webapp.models import Transaction

# The fields of a line's form, and the member of a shown part that each stands for.
MEMBERS = {"accountId": "account_id", "orgMerchantId": "merchant_id", "projectId": "project_id"}


@dataclass(frozen=True, slots=True)
class StaleEdit:
    """Who changed the line and when, if that is known; and the fields that the refused form set, with their names."""

    by: str | None = None
    at: datetime | None = None
    fields: dict[str, str] = field(default_factory=dict)
    names: str = ""
    keeps_form: bool = False


def of_form(line: Transaction, shown: ShownLine, shown_at: datetime | None) -> StaleEdit:
    """Describe the refused form of a line's row."""
    body = form_body()
    last = others_acts.last_on_line(organization_id(), line.id, shown_at) if shown_at else None
    is_mine = last is not None and others_acts.is_by(last.actor, principal().user_id)
    wanted = _wanted(body, shown.parts[0]) if len(shown.parts) == 1 else {}
    return StaleEdit(
        by=None if last is None else "You" if is_mine else last.actor["name"],
        at=last.created_at if last else None,
        fields={name: str(value or "") for name, value in wanted.items()},
        names=_names(wanted),
        keeps_form="splits" in body or "description" in body,
    )


def _wanted(body: dict[str, Any], part: ShownPart) -> dict[str, int | None]:
    """Give what the form set anew, by its fields' names; what it only repeats is nobody's wish."""
    sent = {name: chosen_id(body[name]) for name in MEMBERS if name in body}
    return {name: value for name, value in sent.items() if value != getattr(part, MEMBERS[name])}


def _names(wanted: dict[str, int | None]) -> str:
    ids = [wanted.get(name) for name in MEMBERS]
    names = PartNames(organization_id(), [(ids[0], ids[1], ids[2])])
    found = {
        "accountId": names.account(ids[0]) or "another account",
        "orgMerchantId": names.merchant(ids[1]) or "no customer or supplier",
        "projectId": names.project(ids[2]) or "no project",
    }
    return ", ".join(found[name] for name in wanted)
