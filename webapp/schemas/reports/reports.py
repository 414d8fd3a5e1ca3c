"""The schemas of reports: amounts in the base currency, debit positive."""

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from webapp.ledger.canonical import camel
from webapp.ledger.chart import ALL_GROUPS
from webapp.ledger.closing.layouts import LAYOUTS, PRESET
from webapp.ledger.codes import ACCOUNT_TYPES
from webapp.ledger.dimensions import Dimension
from webapp.ledger.references import Kind
from webapp.ledger.report_columns import Adjusting, Comparison
from webapp.schemas import fields
from webapp.schemas.addresses import AddressSchema
from webapp.schemas.base import Schema
from webapp.schemas.instants import EffectiveAt
from webapp.schemas.paging import PageSchema
from webapp.schemas.untrusted import Untrusted

# What chooses among postings.
DIMENSIONS = ("project_id", "project_group_id", "org_merchant_id", "group_by")


class PeriodQuerySchema(Schema):
    """The period of a report, both days inclusive; by default the year up to today."""

    from_ = fields.Day(data_key="from", load_default=None)
    to = fields.Day(load_default=None)

    @ma.validates_schema
    def runs_forward(self, data: Mapping[str, Any], **kwargs: object) -> None:
        """Refuse a period that ends before it begins."""
        del kwargs
        if data.get("from_") and data.get("to") and data["from_"] > data["to"]:
            raise ma.ValidationError("The period ends before it begins. Send the earlier day as from.", "to")


class SelectionQuerySchema(PeriodQuerySchema):
    """The period of a report, which postings count, by default all, and what their figures are grouped by."""

    project_id = fields.FormId(load_default=None)
    project_group_id = fields.FormId(load_default=None)
    org_merchant_id = fields.FormId(load_default=None)
    group_by = fields.OneOf(*Dimension, load_default=None)


class ColumnsQuerySchema(PeriodQuerySchema):
    """The period of a report, what it is compared with, and whether its months stand side by side.

    By default it is compared with the period before; two days, `compareFrom` and `compareTo`, choose another one.
    """

    compare_with = fields.OneOf(*Comparison, load_default=None)
    compare_from = fields.Day(load_default=None)
    compare_to = fields.Day(load_default=None)
    months = fields.FormFlag(load_default=False)
    year_to_date = fields.FormFlag(
        load_default=False,
        metadata={"description": "Whether its year up to `to` stands beside it, if it has flows."},
    )

    @ma.validates_schema
    def compares_with_one_period(self, data: Mapping[str, Any], **kwargs: object) -> None:
        """Refuse half a period, one that ends before it begins, and two answers to one question."""
        del kwargs
        first, last = data.get("compare_from"), data.get("compare_to")
        if (first is None) != (last is None):
            alone = "compareFrom" if last is None else "compareTo"
            raise ma.ValidationError("Two days make the period to compare with.", alone)
        if first and last and first > last:
            raise ma.ValidationError("The period ends before it begins.", "compareTo")
        if first and data.get("compare_with"):
            raise ma.ValidationError("Choose this or two days.", "compareWith")


class ReportQuerySchema(SelectionQuerySchema, ColumnsQuerySchema):
    """The columns of a report, the layout of its rows, which postings count, and what figures are grouped by."""

    layout = fields.OneOf(
        *LAYOUTS, load_default=PRESET, metadata={"description": "The layout of the rows of statements."}
    )
    adjusting = fields.OneOf(
        *Adjusting,
        load_default=Adjusting.WITH,
        metadata={"description": "Whether adjusting entries of the year that the period ends in count."},
    )
    turnovers = fields.FormFlag(
        load_default=False,
        metadata={
            "description": "Whether the trial balance says what each account was debited and credited."
        },
    )

    @ma.validates_schema
    def adjusts_all(self, data: Mapping[str, Any], **kwargs: object) -> None:
        """Refuse to leave adjusting entries out of selected postings and of groups."""
        del kwargs
        if data.get("adjusting") == Adjusting.WITHOUT and any(data.get(name) for name in DIMENSIONS):
            raise ma.ValidationError("Choose this or some of the postings.", "adjusting")


class ReportPageQuerySchema(AddressSchema, ReportQuerySchema):
    """The same from the address of a report's page."""

    percent_of_sales = fields.FormFlag(load_default=False)


class DayBookQuerySchema(PageSchema, PeriodQuerySchema):
    """Of which days the day book is."""


class FlowPageQuerySchema(AddressSchema, ColumnsQuerySchema):
    """The columns of a cash flow, from the address of its page."""


class DayBookPageQuerySchema(AddressSchema, DayBookQuerySchema):
    """The days and the place of the page of the day book, or of changes in equity."""


class LedgerQuerySchema(PageSchema, SelectionQuerySchema):
    """Which postings the general ledger lists."""

    account_id = fields.FormId(load_default=None)


class ResultPageQuerySchema(ReportPageQuerySchema):
    """The same with an account: only it and what stands under it are shown."""

    within = fields.FormId(load_default=None)


MONTHS = ("3", "6", "12", "24")


class OverviewPageQuerySchema(AddressSchema):
    """How many months the pictures of cash, income and expenses show."""

    months = fields.OneOf(*MONTHS, load_default="12")


AGED = ("aged_receivables", "aged_payables")
PARTY_STATEMENT = "party_statement"
COLUMNS = ("compare_with", "compare_from", "compare_to", "months", "year_to_date")
# What the file of a report does not take, and why.
_WITHOUT: Mapping[str, tuple[tuple[str, ...], str]] = {
    "general_ledger": (COLUMNS, "The general ledger has no such columns."),
    **dict.fromkeys(AGED, ((*COLUMNS, *DIMENSIONS, "account_id"), "What is owed by age has only a day.")),
    PARTY_STATEMENT: (
        (*COLUMNS, "project_id", "project_group_id", "group_by", "account_id"),
        "The statement of a party has only its days.",
    ),
    "cash_flow": ((*DIMENSIONS, "account_id"), "A cash flow is of all postings."),
    **dict.fromkeys(
        ("changes_in_equity", "day_book"),
        ((*COLUMNS, *DIMENSIONS, "account_id"), "This report has only its days."),
    ),
    "register": ((*COLUMNS, *DIMENSIONS), "A register has only its account and its days."),
}
_ONLY_LEDGERS = (("account_id",), "Only the general ledger has this.")


class ReportFileQuerySchema(ReportQuerySchema):
    """Which report to write to a file, and in which format; what its page or its JSON asks for is asked for here too.

    Only the general ledger and the register take `accountId`; they have no columns. What is owed by age is at the close
    of `to`. The statement of a party is that of `orgMerchantId`, or of what has no party, over `from` to `to`.
    """

    report = fields.OneOf(
        *("trial_balance", "profit_and_loss", "balance_sheet", *_WITHOUT),
        required=True,
    )
    format = fields.OneOf("csv", "xlsx", required=True)
    account_id = fields.FormId(load_default=None)
    percent_of_sales = fields.FormFlag(load_default=False)

    @ma.validates_schema
    def fits_the_report(self, data: Mapping[str, Any], **kwargs: object) -> None:
        """Refuse what another report has."""
        del kwargs
        report = data.get("report")
        names, sentence = _WITHOUT.get(report or "", _ONLY_LEDGERS)
        if report == "register" and not data.get("account_id"):
            raise ma.ValidationError("A register is of an account.", "accountId")
        if report and (asked := [name for name in names if data.get(name)]):
            raise ma.ValidationError({camel(name): [sentence] for name in asked})


class LedgerPageQuerySchema(AddressSchema, LedgerQuerySchema):
    """The query of the general ledger's page."""


class PeriodSchema(Schema):
    """A period, both days inclusive."""

    first = fields.Day(data_key="from")
    last = fields.Day(data_key="to")


class ReportAccountSchema(Schema):
    """What each line of a report has of its account."""

    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    code = ma.fields.String(allow_none=True)
    name = Untrusted()
    type = fields.OneOf(*ACCOUNT_TYPES)
    in_scope = ma.fields.Boolean()
    group = fields.OneOf(
        *ALL_GROUPS, metadata={"description": "The subtotal of statements that it stands in."}
    )


YEAR = {"description": "Of the financial year up to the end of the period, where `yearToDate` asks for it."}


class PartSchema(Schema):
    """What of a figure is posted to a project, group or merchant; without id and name, what is posted to none."""

    id = fields.Id(allow_none=True)
    name = ma.fields.String(allow_none=True)
    amount = fields.Amount()
    before = fields.Amount(allow_none=True)
    months = ma.fields.List(fields.Amount(), allow_none=True)
    year_to_date = fields.Amount(allow_none=True, metadata=YEAR)


class ReportLineSchema(ReportAccountSchema):
    """An account with its amount in the period, in the one that it is compared with, and in each month, if asked.

    `accountId` is null where the line is computed. `parts` are those that `groupBy` asks for, without nil ones.
    """

    amount = fields.Amount()
    before = fields.Amount(allow_none=True)
    months = ma.fields.List(fields.Amount(), allow_none=True)
    year_to_date = fields.Amount(allow_none=True, metadata=YEAR)
    parts = ma.fields.List(ma.fields.Nested(PartSchema), allow_none=True)


class TrialPartSchema(Schema):
    """What of an account is posted to a project, group or merchant: opening + change + carry = closing there too."""

    id = fields.Id(allow_none=True)
    name = ma.fields.String(allow_none=True)
    opening = fields.Amount()
    change = fields.Amount()
    carry = fields.Amount()
    closing = fields.Amount()
    before = fields.Amount(allow_none=True)
    months = ma.fields.List(fields.Amount(), allow_none=True)
    debit = fields.Amount(allow_none=True)
    credit = fields.Amount(allow_none=True)


class TrialLineSchema(ReportAccountSchema):
    """An account with opening + change + carry = closing, and the closing as debit or credit.

    `closed` is what closing entries posted to it; of income and expenses that is in the change of retained earnings.
    `carry` is what was carried at the beginning of financial years within the period. `accountId` is null for what
    earlier years left on personal accounts. `before` and `months` are closings too. `parts` are those that `groupBy`
    asks for, without nil ones.
    """

    opening = fields.Amount()
    change = fields.Amount()
    carry = fields.Amount()
    closed = fields.Amount(metadata={"description": "What closing entries of the period posted to it."})
    closing = fields.Amount()
    debited = fields.Amount(
        allow_none=True, metadata={"description": "What the period debited; by `turnovers`."}
    )
    credited = fields.Amount(
        allow_none=True, metadata={"description": "What the period credited; by `turnovers`."}
    )
    before = fields.Amount(allow_none=True)
    months = ma.fields.List(fields.Amount(), allow_none=True)
    parts = ma.fields.List(ma.fields.Nested(TrialPartSchema), allow_none=True)
    debit = fields.Amount(allow_none=True)
    credit = fields.Amount(allow_none=True)


class SumsSchema(Schema):
    """A sum in the period, in the one that it is compared with, in each month and by part, if asked."""

    amount = fields.Amount()
    before = fields.Amount(allow_none=True)
    months = ma.fields.List(fields.Amount(), allow_none=True)
    year_to_date = fields.Amount(allow_none=True, metadata=YEAR)
    parts = ma.fields.List(ma.fields.Nested(PartSchema), allow_none=True)


class LayoutSchema(Schema):
    """The layout of a statement: its code, its name, and who reviewed it."""

    code = fields.OneOf(*LAYOUTS)
    name = ma.fields.String()
    reviewer = ma.fields.String(metadata={"description": "Who compared it with the rules that it is of."})


class StatementRowSchema(Schema):
    """A row of a layout: a group with its accounts, or a subtotal of rows, with profits and assets above zero.

    Its accounts are signed as it is. Groups without an account are left out, subtotals never.
    """

    code = ma.fields.String(metadata={"description": "What the layout calls it, such as GROSS_PROFIT."})
    name = ma.fields.String()
    kind = fields.OneOf("GROUP", "SUBTOTAL", metadata={"description": "Whether it adds accounts or rows."})
    amount = fields.Amount(attribute="figures.amount")
    before = fields.Amount(attribute="figures.before", allow_none=True)
    months = ma.fields.List(fields.Amount(), attribute="figures.months", allow_none=True)
    year_to_date = fields.Amount(attribute="figures.year_to_date", allow_none=True, metadata=YEAR)
    parts = ma.fields.List(ma.fields.Nested(PartSchema), attribute="figures.parts", allow_none=True)
    percent_of_sales = ma.fields.String(
        allow_none=True,
        metadata={"description": "Its share of the sales of the period in per cent; null without sales."},
    )
    lines = ma.fields.List(ma.fields.Nested(ReportLineSchema))


class ReportSchema(Schema):
    """What each report has: its currency, its columns, and what counts."""

    base_currency = fields.Currency()
    period = ma.fields.Nested(PeriodSchema, attribute="columns.period")
    compared_with = ma.fields.Nested(PeriodSchema, attribute="columns.compared_with", allow_none=True)
    months = ma.fields.List(ma.fields.Nested(PeriodSchema), attribute="columns.months", allow_none=True)
    project_id = fields.Id(Kind.PROJECT, attribute="columns.selection.project_id", allow_none=True)
    project_group_id = fields.Id(
        Kind.PROJECT_GROUP, attribute="columns.selection.project_group_id", allow_none=True
    )
    org_merchant_id = fields.Id(Kind.MERCHANT, attribute="columns.selection.org_merchant_id", allow_none=True)
    group_by = fields.OneOf(*Dimension, attribute="columns.by", allow_none=True)


class ReportWarningSchema(Schema):
    """A warning about the figures of a report, with what it is about; null where that does not apply."""

    code = ma.fields.String(metadata={"description": "The kind of warning, for programs."})
    message = Untrusted()
    as_of = fields.Day(allow_none=True)
    difference = fields.Amount(
        allow_none=True,
        metadata={"description": "What the result would gain; null where it is about no difference."},
    )
    count = ma.fields.Integer(
        allow_none=True,
        metadata={"description": "How many entries it is about; null where it is about none."},
    )
    sum = fields.Amount(allow_none=True)


class TrialBalanceSchema(ReportSchema):
    """All accounts with their balances; debits and credits are equal."""

    lines = ma.fields.List(ma.fields.Nested(TrialLineSchema))
    debit = fields.Amount()
    credit = fields.Amount()


class ProfitAndLossSchema(ReportSchema):
    """Income (negative, as credits are) and expenses; `result` is positive for a profit.

    All three are without personal accounts (`inScope` false); these come to `personal`, a debit above zero.
    """

    lines = ma.fields.List(ma.fields.Nested(ReportLineSchema))
    income = ma.fields.Nested(SumsSchema)
    expenses = ma.fields.Nested(SumsSchema)
    result = ma.fields.Nested(SumsSchema)
    personal = ma.fields.Nested(SumsSchema)
    result_with_personal = ma.fields.Nested(SumsSchema)
    layout = ma.fields.Nested(LayoutSchema)
    rows = ma.fields.List(ma.fields.Nested(StatementRowSchema))
    warnings = ma.fields.List(ma.fields.Nested(ReportWarningSchema))


class BalanceSheetSchema(ReportSchema):
    """Assets, liabilities and equity at the period's close.

    Assets, liabilities, equity, `resultOfYear` and `personalOfYear` add up to 0. The equity has the results of earlier
    years: `earlierResults` within retained earnings, `personalEarlier` in a line without an account. Of accounts that
    keep items, customers in credit are a liability and suppliers in debit an asset, each a line without an account.
    """

    lines = ma.fields.List(ma.fields.Nested(ReportLineSchema))
    assets = ma.fields.Nested(SumsSchema)
    liabilities = ma.fields.Nested(SumsSchema)
    equity = ma.fields.Nested(SumsSchema)
    result_of_year = ma.fields.Nested(SumsSchema)
    personal_of_year = ma.fields.Nested(SumsSchema)
    earlier_results = ma.fields.Nested(SumsSchema)
    personal_earlier = ma.fields.Nested(SumsSchema)
    layout = ma.fields.Nested(LayoutSchema)
    rows = ma.fields.List(ma.fields.Nested(StatementRowSchema))
    warnings = ma.fields.List(ma.fields.Nested(ReportWarningSchema))


class LedgerPartSchema(Schema):
    """The project, group or merchant that a line is grouped under; without id and name what belongs to none."""

    id = fields.Id(allow_none=True)
    name = ma.fields.String(allow_none=True)


class LedgerLineSchema(Schema):
    """A posting with its account, and the account's balance after it: of what is selected.

    Where a financial year begins within the period, a line without an entry, of the source `carry`, takes income and
    expenses to nil and adds them to retained earnings. With `groupBy` each part of an account has a balance of its own;
    what it brought forward, if anything, is its first line, without an entry, of the source `forward`, which moves
    0.00. The parts of an account add up to it.
    """

    account_id = fields.Id(Kind.ACCOUNT, allow_none=True)
    account_code = ma.fields.String(allow_none=True)
    account_name = Untrusted()
    journal_entry_id = fields.Id(Kind.JOURNAL_ENTRY, allow_none=True)
    entry_number = ma.fields.Integer(allow_none=True)
    effective_at = EffectiveAt()
    description = Untrusted()
    source = ma.fields.String()
    amount = fields.Amount()
    currency = ma.fields.String()
    amount_base = fields.Amount()
    balance_base = fields.Amount()
    project_id = fields.Id(Kind.PROJECT, allow_none=True)
    org_merchant_id = fields.Id(Kind.MERCHANT, allow_none=True)
    part = ma.fields.Nested(LedgerPartSchema, allow_none=True)
