"""Two organizations with like books in one PostgreSQL, whose policies keep them apart without the application."""

import re
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_postgresql
from tests.fixtures.unfiltered.switch import SWITCH
from tests.security.addresses import ENDING, OF_PROVIDERS, QUERIES, addresses_of, text_of
from tests.security.conftest import CANARY, CANARY_AMOUNT, everything
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.migrations.policies import SEEN

pytestmark = on_postgresql

HIS_MARK, HIS_AMOUNT = "HARBOUR-1c9e", "55555.13"
# From here on Ada's rows are numbered, so that an id of hers is told from any other number.
HERS, HIS = 8_812_300_000, 1_000
FOREIGN = re.compile(
    rf"{CANARY}|{re.escape(CANARY_AMOUNT)}|7777731|88123000\d\d|Lantern Studio|ada@example\.com"
)
COUNT = sa.text("""
    SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, :number)
    FROM pg_sequences WHERE schemaname = 'public'""")
# It describes the API with the words of other books.
DESCRIBED = "/api/openapi.json"
# What is there only once a month is prepared.
PREPARED = "/api/closes/<string:period>/document"
# Addresses that list the rows of a table; other tables are read by what rows of these name.
LISTS = {
    "accounts": "/api/accounts?limit=200",
    "action_requests": "/api/action-requests",
    "audit_events": "/api/events",
    "documents": "/api/documents",
    "exchange_rates": "/api/exchange-rates",
    "imports": "/api/feeds/imports",
    "inbox_files": "/api/inbox",
    "invitations": "/settings/members",
    "journal_entries": "/api/journal-entries",
    "memberships": "/settings/members",
    "merchants": "/api/merchants",
    "project_groups": "/api/projects/groups",
    "projects": "/api/projects",
    "rule_runs": "/api/automations/runs",
    "rules": "/api/automations/rules",
    "settlements": "/api/settlements",
    "transactions": "/api/transactions",
}


@pytest.fixture
def hers(app, ada, bank):
    count_from(app, HERS)
    return everything(ada, bank)


@pytest.fixture
def his(app, dan, bank, hers):
    """Ids of the same things in Dan's books."""
    count_from(app, HIS)
    return everything(dan, bank.of(dan), HIS_MARK, HIS_AMOUNT)


@pytest.fixture
def unfiltered():
    before = SWITCH.count
    with SWITCH.turned(off=True):
        yield
    assert SWITCH.count > before, "no statement named an organization that was taken out"


def count_from(app, number):
    with app.app_context(), maintenance(), db.engine.begin() as connection:
        connection.execute(COUNT, {"number": number})


@contextmanager
def open_policy(app, table):
    """Let the database show everybody the rows of a table."""

    def alter(condition):
        with app.app_context(), maintenance(), db.engine.begin() as connection:
            connection.exec_driver_sql(f"ALTER POLICY of_organization ON {table} USING ({condition})")

    alter("true")
    try:
        yield
    finally:
        alter(SEEN.format(column="organization_id"))


def told(answer):
    """Find what an answer says of Ada's books."""
    return set(FOREIGN.findall(f"{answer.headers}{text_of(answer)}"))


def asking(dan):
    """Ask programs' addresses with a token, and the others as a browser."""
    browser = dan.browser()
    return lambda address, path, **options: (dan.ask if address.is_api else browser._ask)(  # noqa: SLF001
        address.method, path, **(options if address.is_api else {"options": options})
    )


@pytest.mark.rare
def test_a_policy_that_shows_everything_is_found_with_the_filters_off_and_hidden_with_them(app, dan, his):
    browser = dan.browser()
    for table, path in LISTS.items():
        get = dan.get if path.startswith("/api") else browser.get
        for off in (False, True):
            with SWITCH.turned(off=off):
                # An answer is given again while nothing has changed; the policy has.
                with open_policy(app, table):
                    assert bool(told(get(path))) == off, (table, off)
                assert told(get(path)) == set(), table


def test_no_answer_tells_of_other_books(unfiltered, app, dan, hers, his, figure, portion):
    ask, answers, own = asking(dan), [], 0
    for address in portion(9, [*addresses_of(app)]):
        if not address.is_safe or address.scope == "public" or address.rule == DESCRIBED:
            continue
        first = ask(address, f"{address.path(his)}?{QUERIES.get(address.rule, '')}")
        # What is named there is everybody's: a page of help. A bank sends its people back with more in the address.
        is_whole = his.keys() >= set(address.parameters) and address.endpoint not in OF_PROVIDERS
        if is_whole and address.rule != PREPARED:
            assert first.status_code < 400, (address.name, first.text)
        more = [ask(address, address.path(hers))] if address.parameters else []
        if first.is_json and first.json.get("nextCursor"):
            more.append(ask(address, address.path(his) + "?limit=200"))
        for answer in (first, *more):
            assert told(answer) == set(), address.name
            answers.append(answer)
        own += HIS_MARK in text_of(first)
    assert own >= len(answers) / 5
    figure("P37", f"{len(answers)} answers without the application's filters: 0 foreign rows")


def test_no_act_reaches_other_books(unfiltered, app, ada, dan, hers, his, state_of, portion):
    before = state_of(ada.organization_id)
    ask = asking(dan)
    writing = [each for each in addresses_of(app) if not each.is_safe and each.scope != "public"]
    statuses = set()
    for address in portion(16, [each for each in writing if each.endpoint not in ENDING]):
        for ids in (hers, his) if address.parameters else (his,):
            answer = ask(address, address.path(ids), **address.options())
            statuses.add(answer.status_code)
            assert answer.status_code < 500, (address.name, answer.text)
            assert told(answer) == set(), address.name
    assert statuses & {200, 201}
    assert state_of(ada.organization_id) == before
