"""Each chart has what the books need, once each."""

import pytest

from webapp.ledger.chart import CHARTS, DEFAULT, GROUPS, AccountType, Role, Use, chart_of, may_be_revalued

DEFAULT_CHART = chart_of(DEFAULT)


ROLES = {each.role: (each.type, each.is_watched) for each in DEFAULT_CHART if each.role}
NEEDED = {"FIXED_ASSETS", "CURRENT_ASSETS", "CURRENT_LIABILITIES", "LONG_TERM_LIABILITIES", "EQUITY"}
NEEDED |= {"SALES", "COST_OF_SALES", "OVERHEADS", "DEPRECIATION", "FINANCE", "EXCHANGE", "UNCATEGORISED"}


@pytest.mark.parametrize("name", CHARTS)
def test_each_chart_has_every_role_use_and_subtotal_once_and_in_its_kind(name):
    chart = chart_of(name)
    assert {a.role: (a.type, a.is_watched) for a in chart if a.role} == ROLES
    assert sorted(a.role for a in chart if a.role) == sorted(Role)
    uses = {a.use: (a.type, a.is_money, a.keeps_items, a.is_in_base) for a in chart if a.use}
    assert sorted(a.use for a in chart if a.use) == sorted(Use)
    assert uses[Use.RECEIVABLES] == ("ASSET", True, True, False)
    assert uses[Use.PAYABLES] == ("LIABILITY", True, True, False)
    assert uses[Use.VAT_PAYABLE][3]
    assert uses[Use.VAT_RECEIVABLE][3]
    assert len({a.code for a in chart}) == len({a.name for a in chart}) == len(chart)
    assert {a.type for a in chart} == set(AccountType)
    assert all(a.code.isascii() and a.code.isalnum() and a.name and a.emoji for a in chart)
    assert all(a.group in GROUPS[a.type] for a in chart)
    assert {a.group for a in chart} >= NEEDED
    assert all(may_be_revalued(a.type, a.role) for a in chart if a.is_money)


def test_the_system_accounts_have_their_names_and_kinds():
    system = {a.role.value: (a.name, a.type.value, a.is_watched) for a in DEFAULT_CHART if a.role}
    assert system == {
        "uncategorised_income": ("Uncategorised income", "INCOME", True),
        "uncategorised_expenses": ("Uncategorised expenses", "EXPENSE", True),
        "transfers": ("Transfers between own accounts", "ASSET", True),
        "opening_balances": ("Opening balances", "EQUITY", False),
        "retained_earnings": ("Retained earnings", "EQUITY", False),
        "rounding": ("Rounding", "EXPENSE", True),
        "realised_exchange": ("Realised exchange differences", "EXPENSE", False),
        "unrealised_exchange": ("Unrealised exchange differences", "EXPENSE", False),
        "bank_charges": ("Bank charges", "EXPENSE", False),
    }


def test_money_and_debts_are_revalued_and_nothing_else():
    assert all(may_be_revalued(a.type, a.role) for a in DEFAULT_CHART if a.is_money)
    kept = {a.name for a in DEFAULT_CHART if a.is_in_base}
    assert kept == {"VAT receivable", "VAT payable", "Payroll taxes payable", "Income tax payable"}
    sheet = [a for a in DEFAULT_CHART if a.type in ("ASSET", "LIABILITY") and not a.is_money]
    others = {a.name for a in sheet} - kept
    assert others == {
        "Accumulated depreciation",
        "Deferred income",
        "Equipment",
        "Prepaid expenses",
        "Transfers between own accounts",
    }


def test_the_chart_has_what_the_first_year_end_needs():
    kinds = {a.name: a.type.value for a in DEFAULT_CHART}
    needed = {
        "Depreciation": "EXPENSE",
        "Accumulated depreciation": "ASSET",
        "Accrued expenses": "LIABILITY",
        "Deferred income": "LIABILITY",
    }
    assert kinds.items() >= needed.items()
