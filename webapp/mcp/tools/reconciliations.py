"""The differences between the books and a bank statement, and the plan that proves them equal."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, Final, TypeAlias

import marshmallow as ma

from webapp.mcp.calls import api_calls
from webapp.mcp.calls.api_calls import ApiAnswer, RefusedCallError
from webapp.mcp.shapes.tool import Json, OutcomeSchema, Tool
from webapp.mcp.tools import lines, names, outcomes
from webapp.mcp.tools.categories import LineTarget, steps_of
from webapp.mcp.tools.lines import FoundLineSchema
from webapp.mcp.tools.names import Directory, NameOrId, WrittenAmount
from webapp.mcp.tools.outcomes import WriteSchema
from webapp.schemas.base import Schema

NAME: Final = "reconcile"
PROVED: Final = "It is proved."
MOST_ROWS, LARGEST = 25, 200
MOST_CATEGORIES: Final = 50
# What one call confirms at once, and what fits into one plan beside its other steps.
MOST_OF_A_STEP, MOST_OF_A_PLAN = 120, 360
ZERO: Final = "0.00"
# A method, an address and a body.
Step: TypeAlias = tuple[str, str, Json]


class StatementSchema(WriteSchema):
    """A statement of a bank account."""

    account = NameOrId(required=True)
    statement_date = ma.fields.String(required=True)
    statement_balance = WrittenAmount(required=True)
    categories = ma.fields.List(
        LineTarget(),
        validate=ma.validate.Length(
            max=MOST_CATEGORIES, error="Send at most 50; categorise_lines takes more."
        ),
    )
    propose = ma.fields.Boolean(
        load_default=False,
    )


class LeftOutSchema(Schema):
    """Drafts without a category, and what books and statement would differ by with them."""

    count = ma.fields.Integer()
    sum = ma.fields.String()
    difference_with_them = ma.fields.String(allow_none=True)


class ReconcilingSchema(OutcomeSchema):
    """What stands between books and statement: the first lines of each kind, with how many there are in all.

    `leftOut` says of drafts without a category what they add up to: they are neither in the plan nor in the difference.
    """

    difference = ma.fields.String(allow_none=True)
    left_out = ma.fields.Nested(LeftOutSchema, allow_none=True)
    to_categorise_count = ma.fields.Integer()
    to_categorise = ma.fields.List(ma.fields.Nested(FoundLineSchema))
    to_confirm_count = ma.fields.Integer()
    pending = ma.fields.List(ma.fields.Nested(FoundLineSchema))
    missing = ma.fields.List(ma.fields.String())


def run(arguments: Mapping[str, Any]) -> Json:
    """Compare, and with `propose` make one plan; sent again under its key, return the earlier answer."""
    earlier = outcomes.done_before(NAME, arguments) if arguments["propose"] else None
    directory = Directory()
    account, day = directory.bank_account(arguments["account"]), arguments["statement_date"]
    of_account = {"faId": account["faId"], "to": day}
    categories = arguments.get("categories", ())
    changes = steps_of(categories, directory) if categories else []
    open_lines = api_calls.get(
        "/transactions", **of_account, uncategorised=True, include="names,likely", count=True, limit=LARGEST
    )
    chosen = {each["id"] for each in categories}
    unready = [each for each in open_lines["transactions"] if each["id"] not in chosen]
    ready = list(dict.fromkeys([*_drafts(of_account), *(each["id"] for each in categories)]))
    pending = api_calls.get("/transactions", **of_account, status="PENDING", include="names", limit=MOST_ROWS)
    if earlier is None:
        found = _tried(account, ready, changes, arguments)
    else:
        found = {**outcomes.outcome(earlier, done=PROVED), "difference": ZERO}
    left = open_lines["total"] - len(open_lines["transactions"]) + len(unready)
    left_out = _left_out(of_account, sorted(chosen), found["difference"])
    return {
        **found,
        "left_out": left_out,
        "to_categorise_count": left,
        "to_categorise": [lines.line_row(each) for each in unready[:MOST_ROWS]],
        "to_confirm_count": len(ready),
        "pending": [lines.line_row(each) for each in pending["transactions"]],
        "missing": _gaps(account["faId"], day),
        "next": _next(found, left, left_out, is_proposing=arguments["propose"]),
    }


def _drafts(of_account: Mapping[str, Any]) -> list[int]:
    """List the drafts with a category, up to one more than a plan takes."""
    asked = {**of_account, "entryStatus": "DRAFT", "status": "BOOKED", "uncategorised": False, "fields": "id"}
    found = api_calls.every("/transactions", "transactions", **asked)
    return [each["id"] for each in islice(found, MOST_OF_A_PLAN + 1)]


def _left_out(of_account: Mapping[str, Any], chosen: Sequence[int], difference: str | None) -> Json | None:
    """Return the sum of drafts without a category, except those that get one now, or None."""
    drafts = {**of_account, "entryStatus": "DRAFT", "status": "BOOKED", "uncategorised": True}
    count, total = _summed(drafts)
    if chosen:
        of_chosen, sum_of_chosen = _summed({**drafts, "ids": chosen})
        count, total = count - of_chosen, total - sum_of_chosen
    if not count:
        return None
    with_them = None if difference is None else str(Decimal(difference) - total)
    return {"count": count, "sum": str(total), "difference_with_them": with_them}


def _summed(asked: Mapping[str, Any]) -> tuple[int, Decimal]:
    """Count and add up the lines of a bank account, which have one currency."""
    sums = api_calls.get("/transactions", **asked, sums=True, limit=1, fields="id")["sums"]
    return sum(each["count"] for each in sums), sum((Decimal(each["sum"]) for each in sums), Decimal())


def _tried(
    account: Json, ready: Sequence[int], changes: Sequence[Step], arguments: Mapping[str, Any]
) -> Json:
    """Try the plan, and make it if wanted and if it ties out."""
    title = f"Reconcile {account['name']} to {names.day_of(arguments['statement_date'])}"
    if len(ready) > MOST_OF_A_PLAN:
        return _too_many(title)
    steps = [*changes, *_steps(account, ready, arguments)]
    noted = {**arguments, "why": outcomes.reasons(arguments, "categories")}
    answer = outcomes.plan(title, steps, noted, dryRun=True)
    found = outcomes.outcome(answer)
    difference = _difference(answer)
    if arguments["propose"] and not found["blockers"]:
        try:
            sent_as = outcomes.fingerprint(NAME, arguments)
            found = outcomes.outcome(outcomes.plan(title, steps, noted, sent_as=sent_as), done=PROVED)
        except RefusedCallError as error:
            found["blockers"] = [str(error)]
    return {**found, "difference": difference}


def _too_many(title: str) -> Json:
    sentence = (
        f"More lines wait to be confirmed than the {MOST_OF_A_PLAN} that one plan takes. Confirm some with"
        " confirm_lines before."
    )
    nothing = outcomes.plain(outcomes.PREVIEW, title, outcomes.NOTHING_WRITTEN, blockers=[sentence])
    return {**nothing, "difference": None}


def _steps(account: Json, ready: Sequence[int], arguments: Mapping[str, Any]) -> list[Step]:
    desk = f"/reconciliations/accounts/{account['faId']}"
    statement = {
        "statementDate": arguments["statement_date"],
        "statementBalance": arguments["statement_balance"],
    }
    draft = account["draft"]
    is_open = draft is not None and all(draft[key] == value for key, value in statement.items())
    statement |= {"version": draft["version"]} if draft else {}
    opening = [] if is_open else [("PUT", f"{desk}/draft", statement)]
    confirmations = [
        ("POST", "/transactions/confirm", {"ids": list(ready[first : first + MOST_OF_A_STEP])})
        for first in range(0, len(ready), MOST_OF_A_STEP)
    ]
    return [
        *confirmations,
        *opening,
        ("PUT", f"{desk}/draft/lines", {"auto": True}),
        ("POST", f"{desk}/complete", {}),
    ]


def _difference(answer: ApiAnswer) -> str | None:
    """Return the difference of books and statement, or None if an earlier step is refused."""
    blockers = answer.body["summary"]["blockers"]
    if not blockers:
        return ZERO
    step = blockers[0].get("details", {}).get("step", {})
    found = (step.get("details") or {}).get("difference")
    return str(found) if found is not None else None


def _gaps(fa_id: int, day: str) -> list[str]:
    """List the days before a statement without data from the bank."""
    months = api_calls.get(f"/feeds/accounts/{fa_id}/coverage")["coverage"]["months"]
    gaps = [gap for month in months for gap in month["gaps"] if month["month"] <= day[:7]]
    return [f"{each['first']} to {each['last']}" for each in gaps]


def _next(found: Json, unready: int, left_out: Json | None, *, is_proposing: bool) -> str:
    beside = [] if left_out is None else [_about(left_out)]
    if found["status"] != outcomes.PREVIEW:
        return " ".join([str(found["next"]), *beside])
    nothing = ["Nothing was proposed."] if is_proposing else []
    if unready:
        again = (
            f"Call reconcile again with categories (at most {MOST_CATEGORIES}; categorise_lines sets more before): a "
            "category for each line, or pays or pair as its row has them."
        )
        return " ".join([*nothing, *beside, again])
    if not found["blockers"]:
        return "It ties out. Call reconcile again with propose."
    return " ".join(
        [*nothing, "Read the blockers; find_lines with state uncleared shows what is not in a proof."]
    )


def _about(left_out: Json) -> str:
    """Say that lines without a category are left out, and the difference with them."""
    with_them = left_out["difference_with_them"]
    then = "" if with_them is None else f" With them it would be {with_them}."
    return (
        f"Left out of the plan and of the difference for want of a category: {lines.counted(left_out['count'])},"
        f" together {left_out['sum']}.{then}"
    )


TOOL = Tool(
    name=NAME,
    title="Reconcile",
    description="What stands between books and statement; propose plans what categorises, confirms and proves.",
    takes=StatementSchema,
    gives=ReconcilingSchema,
    run=run,
    scope="reconcile",
)
