"""Tax codes: made, renamed, ended and archived; what they compute and post never changes."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, NotRequired, TypedDict, Unpack

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.models import TaxCode
from webapp.queries.tax import codes, packs
from webapp.services.audit import titles
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change, facts, jsonable

FACTS = ("code", "name", "side", "rate", "basis", "amount_is", "valid_from", "valid_to", "is_archived")

# What a code is unless it says otherwise.
PLAIN: Final = {"basis": "ACCRUAL", "amount_is": "BASE", "is_self_assessed": False, "has_relief": False}


class TaxCodeTakenError(LedgerError):
    """The books have this tax code already; choose another one."""

    code = "code_taken"


class TaxSharesError(UnprocessableError):
    """A tax code has the base once as it is, and its tax once or more; boxes are those of an installed form."""

    code = "tax_shares"


class TaxCodeInput(TypedDict):
    """A new tax code."""

    code: str
    name: str
    side: str
    rate: Decimal
    amount_is: NotRequired[str]
    is_self_assessed: NotRequired[bool]
    has_relief: NotRequired[bool]
    valid_from: NotRequired[date | None]
    valid_to: NotRequired[date | None]
    shares: Sequence[dict[str, Any]]


class TaxCodeChanges(TypedDict, total=False):
    """The fields of a code that were sent; what is not sent stays."""

    name: str
    valid_to: date | None
    is_archived: bool


def create(*, actor: Actor, now: datetime, **content: Unpack[TaxCodeInput]) -> TaxCode:
    """Make a tax code."""
    title = f"Created the tax code {content['code']}"
    payload = {name: jsonable(value) for name, value in content.items()}
    with act(actor, now, "create_tax_code", ("tax_code", "new"), title=title, payload=payload) as doing:
        if codes.taken(actor.organization_id, [content["code"]]):
            raise TaxCodeTakenError(fields={"code": ["The books have this code already."]})
        _check_shares(actor.organization_id, content)
        code = TaxCode(
            organization_id=actor.organization_id,
            created_at=now,
            **{**PLAIN, **content, "shares": [stored_share(each) for each in content["shares"]]},
        )
        db.session.add(code)
        db.session.flush()
        doing.target_id, doing.after = str(code.id), jsonable(facts(code, FACTS))
    return code


def update(code: TaxCode, changes: TaxCodeChanges, *, actor: Actor, now: datetime) -> TaxCode:
    """Change what was sent of a code."""
    title = titles.of_change("the tax code", code, changes)
    target, payload = ("tax_code", code.id), jsonable(changes)
    with act(actor, now, "update_tax_code", target, title=title, payload=payload) as doing:
        change(code, changes, doing)
    return code


def stored_share(share: dict[str, Any]) -> dict[str, Any]:
    """Give a share as a code keeps it: factors as decimal text."""
    boxes = [{**box, "factor": format(box["factor"], "f")} for box in share["boxes"]]
    return {"of": share["of"], "factor": format(share["factor"], "f"), "role": share["role"], "boxes": boxes}


def _check_shares(organization_id: str, content: TaxCodeInput) -> None:
    """Refuse shares that no return could take, at the path of the first that is wrong."""
    bases = [each for each in content["shares"] if each["of"] == "BASE"]
    wanted = 0 if content.get("amount_is") == "TAX" else 1
    if len(bases) != wanted or any(each["factor"] != 1 or each["role"] for each in bases):
        _refuse("shares", "Send the base once, by the factor 1 and without a role; none where all is tax.")
    if content["rate"] and len(bases) == len(content["shares"]):
        _refuse("shares", "A code with a rate needs a share of the tax.")
    for place, share in enumerate(content["shares"]):
        for number, box in enumerate(share["boxes"]):
            path = f"shares.{place}.boxes.{number}"
            if box["form"] not in packs.NAMES or packs.installed(organization_id, box["form"]) is None:
                _refuse(f"{path}.form", "The books have not installed this form.")
            boxes = packs.content(box["form"]).form.boxes
            if box["box"] not in {each.box for each in boxes if each.terms is None}:
                _refuse(f"{path}.box", "Nothing is posted to such a box of this form.")


def _refuse(path: str, sentence: str) -> None:
    raise TaxSharesError(sentence, fields={path: [sentence]})
