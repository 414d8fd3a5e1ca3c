"""Reports as compact tables, with their accounts and entries."""

from collections.abc import Mapping
from typing import Any, Final

import marshmallow as ma

from webapp.mcp.calls import api_calls
from webapp.mcp.shapes.tool import Json, Tool, ToolError
from webapp.mcp.tools.names import Directory, NameOrId
from webapp.schemas import fields
from webapp.schemas.base import Schema
from webapp.schemas.untrusted import Untrusted, UntrustedPaths, untrusted_paths

PROFIT_AND_LOSS, BALANCE_SHEET = "profit_and_loss", "balance_sheet"
TRIAL_BALANCE, GENERAL_LEDGER = "trial_balance", "general_ledger"
KINDS: Final = (PROFIT_AND_LOSS, BALANCE_SHEET, TRIAL_BALANCE, GENERAL_LEDGER)
MOST_ROWS, LARGEST = 60, 200
# The sums that stand below each report.
TOTALS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    PROFIT_AND_LOSS: ("profitAndLoss", ("income", "expenses", "result")),
    BALANCE_SHEET: ("balanceSheet", ("assets", "liabilities", "equity", "resultOfYear", "earlierResults")),
    TRIAL_BALANCE: ("trialBalance", ("debit", "credit")),
}


class ReportChoiceSchema(Schema):
    """Which report, of which days."""

    kind = fields.OneOf(*KINDS, required=True)
    from_ = ma.fields.String(data_key="from")
    to = ma.fields.String()
    account = NameOrId()
    limit = fields.WholeNumber(least=1, most=LARGEST, load_default=MOST_ROWS)
    cursor = ma.fields.String()


class ReportRowSchema(Schema):
    """An account with its amount and that of the period before, or an entry on an account with the balance after it."""

    account_id = ma.fields.Integer(allow_none=True)
    code = ma.fields.String(allow_none=True)
    name = Untrusted(allow_none=True)
    entry_id = ma.fields.Integer(allow_none=True)
    day = ma.fields.String(allow_none=True)
    text = Untrusted(allow_none=True)
    amount = ma.fields.String()
    before = ma.fields.String(allow_none=True)
    balance = ma.fields.String(allow_none=True)


class TotalSchema(Schema):
    """A sum of the report."""

    name = ma.fields.String()
    amount = ma.fields.String()


class ReportTableSchema(Schema):
    """A report in base currency: debits positive, income and what is owed negative; a profit is above zero."""

    currency = ma.fields.String(allow_none=True)
    period = ma.fields.String(allow_none=True)
    rows = ma.fields.List(ma.fields.Nested(ReportRowSchema))
    totals = ma.fields.List(ma.fields.Nested(TotalSchema))
    warnings = ma.fields.List(Untrusted())
    cursor = ma.fields.String(allow_none=True)
    untrusted = UntrustedPaths((*untrusted_paths(ReportRowSchema(), "rows[]."), "warnings[]"))


def run(arguments: Mapping[str, Any]) -> Json:
    """Write a report."""
    days = {"from": arguments.get("from_"), "to": arguments.get("to")}
    if arguments["kind"] == GENERAL_LEDGER:
        return _ledger(arguments, days)
    if "account" in arguments:
        raise ToolError("account: Only general_ledger is of one account.")
    key, totals = TOTALS[arguments["kind"]]
    found = api_calls.get(f"/reports/{arguments['kind'].replace('_', '-')}", **days)[key]
    period = found["period"]
    rows = [_row(each) for each in found["lines"]]
    return {
        "currency": found["baseCurrency"],
        "period": f"{period['from']} to {period['to']}" if period["from"] else f"to {period['to']}",
        "rows": [each for each in rows if not _is_zero(each)],
        "totals": [{"name": name, "amount": _amount(found[name])} for name in totals],
        "warnings": [each["message"] for each in found.get("warnings", ())],
        "cursor": None,
    }


def _ledger(arguments: Mapping[str, Any], days: Mapping[str, str | None]) -> Json:
    if "account" not in arguments:
        raise ToolError("account: general_ledger is of one account; name it.")
    account = Directory().account(arguments["account"])
    found = api_calls.get(
        "/reports/general-ledger",
        accountId=account["id"],
        limit=arguments["limit"],
        cursor=arguments.get("cursor"),
        **days,
    )
    return {
        "currency": None,
        "period": f"{account['code'] or account['id']} {account['name']}",
        "rows": [_posting(each) for each in found["lines"]],
        "totals": [],
        "warnings": [],
        "cursor": found["nextCursor"],
    }


def _row(line: Json) -> Json:
    amount = line["amount"] if "amount" in line else line["closing"]
    return {
        "account_id": line["accountId"],
        "code": line["code"],
        "name": line["name"],
        "amount": amount,
        "before": line["before"],
    }


def _posting(line: Json) -> Json:
    return {
        "entry_id": line["journalEntryId"],
        "day": line["effectiveAt"][:10],
        "text": line["description"],
        "amount": line["amountBase"],
        "balance": line["balanceBase"],
    }


def _is_zero(row: Json) -> bool:
    return not any(digit in "123456789" for digit in f"{row['amount']}{row['before'] or ''}")


def _amount(total: Any) -> str:
    return str(total["amount"] if isinstance(total, dict) else total)


TOOL = Tool(
    name="report",
    title="Report",
    description="In base currency; debits and profits positive.",
    takes=ReportChoiceSchema,
    gives=ReportTableSchema,
    run=run,
)
