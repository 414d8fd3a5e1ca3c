"""SQLite and PostgreSQL behave the same: one session on both, compared answer by answer (P47)."""

import logging
from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.contract.likenesses import Likeness
from tests.contract.sessions import session
from tests.contract.stories import Teller, tell
from tests.fixtures.people import apart
from webapp.database.sessions import Base, db
from webapp.database.tenancy import maintenance

pytestmark = pytest.mark.both
SEED = 47


class Side:
    """One database's run of the session."""

    def __init__(self, house):
        house.refresh()
        self.app = house.app
        self.person = replace(house.people["ada"], app=house.app)
        self.likeness = Likeness()
        self.acts = []
        self.highest = {}

    def ask(self, asked):
        """Ask, and tell the status and the answer as any other run would."""
        options = {} if asked.body is None else {"json": asked.body}
        answer = self.person.ask(asked.method, asked.path(self.acts), **options)
        is_json = answer.mimetype == "application/json"
        told = answer.get_json() if is_json else answer.get_data(as_text=True)
        self.note(told)
        return answer.status_code, self.likeness.of(told)

    def note(self, told):
        act = told.get("actionRequestId") if isinstance(told, dict) else None
        if act and act not in self.acts:
            self.acts.append(act)

    def level_ids(self):
        """Take back the ids that PostgreSQL spends on what it then rolls back; SQLite spends none."""
        apart(self._level_ids)

    def count_on_from(self, other):
        """Give out the ids that SQLite gives out next, which counts those of rows too that a request took back."""
        spent = apart(other.spent_ids)
        apart(self._count_on_from, spent)

    def spent_ids(self):
        """Read SQLite's own counters, by table."""
        with self.app.app_context(), db.engine.connect() as connection:
            return dict(connection.execute(sa.text("SELECT name, seq FROM sqlite_sequence")).all())

    def _count_on_from(self, spent):
        names = [table.name for table in Base.metadata.sorted_tables if table.name in spent]
        counted = (sa.func.setval(f"{name}_id_seq", max(spent[name], 1), spent[name] > 0) for name in names)
        with self.app.app_context(), maintenance(), db.engine.begin() as connection:
            connection.execute(sa.select(*counted))

    def _level_ids(self):
        with self.app.app_context(), maintenance():
            if db.engine.dialect.name != "postgresql":
                return
            tables = [table for table in Base.metadata.sorted_tables if "id" in table.c and numbered(table)]
            with db.engine.begin() as connection:
                most = sa.union_all(
                    *(sa.select(sa.literal(table.name), sa.func.max(table.c.id)) for table in tables)
                )
                for name, highest in connection.execute(most).all():
                    self.highest[name] = max(highest or 0, self.highest.get(name, 0))
                connection.execute(
                    sa.select(
                        *(
                            sa.func.setval(f"{name}_id_seq", max(highest, 1), highest > 0)
                            for name, highest in self.highest.items()
                        )
                    )
                )


def differences(one, other, path=""):
    """Name the places at which two answers differ, with what stands there."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = sorted(one.keys() | other.keys(), key=str)
        return [
            each for name in names for each in differences(one.get(name), other.get(name), f"{path}.{name}")
        ]
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [
            each for place, (left, right) in pairs for each in differences(left, right, f"{path}.{place}")
        ]
    return [] if one == other else [(path, one, other)]


def numbered(table):
    id_ = table.c.id
    is_number = isinstance(id_.type, sa.Integer) or id_.type.__class__.__name__ == "BigId"
    return is_number and id_.autoincrement is not False


@pytest.fixture
def sides(_houses, monkeypatch):
    logging.disable(logging.CRITICAL)
    houses = [_houses(kind) for kind in ("sqlite", "postgresql")]
    for house in houses:
        monkeypatch.setitem(house.app.config, "SETTINGS", replace(house.settings, rate_limit=0))
    yield [Side(house) for house in houses]
    logging.disable(logging.NOTSET)


@pytest.fixture
def database_kind():
    return "both"


@pytest.mark.rare
def test_a_session_is_answered_alike_by_both_databases(sides, rounds, figure):
    stories = []
    for side in sides:
        teller = Teller(side.app, side.person, after=side.level_ids)
        tell(teller, with_approvals=False)
        stories.append([(each.call, each.status, side.likeness.of(each.answer)) for each in teller.exchanges])
        for each in teller.exchanges:
            side.note(each.answer)
    for one, other in zip(*stories, strict=True):
        assert not differences(one, other), one[:2]
    statuses = {}
    asked = session(sides[0].app, SEED, rounds(150, 20_000))
    for number, each in enumerate(asked):
        one, other = (side.ask(each) for side in sides)
        if each.method != "GET":
            sides[1].count_on_from(sides[0])
        assert not differences(one, other), (number, each)
        assert one[0] < 500, (number, each, one)
        statuses[one[0]] = statuses.get(one[0], 0) + 1
    total = len(stories[0]) + len(asked)
    figure("P47", f"{total} requests, {total} answers alike; by status {dict(sorted(statuses.items()))}")
