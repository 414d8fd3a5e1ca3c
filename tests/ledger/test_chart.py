"""The default chart has what the books need, once each."""

from webapp.ledger.chart import DEFAULT_CHART, AccountType, Role, may_be_revalued


def test_every_role_and_code_is_there_once():
    assert sorted(a.role for a in DEFAULT_CHART if a.role) == sorted(Role)
    assert len({a.code for a in DEFAULT_CHART}) == len(DEFAULT_CHART)
    assert {a.type for a in DEFAULT_CHART} == set(AccountType)
    assert all(a.code.isascii() and a.code.isalnum() for a in DEFAULT_CHART)


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
