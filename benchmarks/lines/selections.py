"""Measure what filters by project, group and merchant cost on lists of many lines, entries and postings.

    python -m benchmarks.lines.selections [LINES]

On each engine, books of 100 thousand lines are asked for the first page of each list without a filter, and with each
filter: of a project that all postings belong to, of one that the oldest three belong to, of none; of a group of
projects; of a merchant. Once the lines are spread over accounts, days and amounts, once all are alike; each before the
database has counted its tables and after. Prints the best times in milliseconds, and each as a ratio of the list
without a filter. Ends with 1 where a filter costs more than a bar.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks import histories
from tests.fixtures.houses import House
from tests.fixtures.stores import PostgresqlServer, SqliteFiles
from webapp import queries
from webapp.db import begin_read, db
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns
from webapp.models import FeedAccount, Merchant, Project, ProjectGroup
from webapp.queries.journal.entry_records import EntryFilters
from webapp.queries.transactions.lists.plain_lines import TransactionFilters
from webapp.queries.transactions.workspaces import WorkspaceFilters

LINES, LIMIT = 100_000, 50
# Each question is asked so often, or for so many milliseconds.
REPEATS, LONG_ENOUGH = 3, 3000
# A filtered page may read every line once, which a page without a filter does not; a count does so anyway.
MOST_RATIO, MOST_MILLISECONDS = 6.0, 1000
PERIOD = Period(histories.FIRST, histories.LAST)

Question = Callable[[str, int, DimensionSelection], Any]


def _workspace(of: DimensionSelection) -> WorkspaceFilters:
    return WorkspaceFilters("all", None, None, None, None, *_ids(of))


def _ids(of: DimensionSelection) -> tuple[int | None, int | None, int | None]:
    return of.project_id, of.project_group_id, of.org_merchant_id


QUESTIONS: dict[str, Question] = {
    "lines": lambda organization, _, of: queries.transactions.line_lists.listed(
        organization, TransactionFilters(None, None, *_ids(of)), after=None, limit=LIMIT
    ),
    "workspace": lambda organization, fa_id, of: queries.transactions.workspaces.lines(
        organization, fa_id, _workspace(of), None, after=None, limit=LIMIT
    ),
    "workspace counts": lambda organization, fa_id, of: queries.transactions.tab_counts.counted(
        organization, fa_id, _workspace(of), None
    ),
    "entries": lambda organization, _, of: queries.journal.entry_records.listed(
        organization, EntryFilters(None, None, None, *_ids(of)), after=None, limit=LIMIT
    ),
    "general ledger": lambda organization, _, of: queries.reports.general_ledger.listed(
        organization, PERIOD, selection=of, after=None, limit=LIMIT
    ),
    "general ledger by project": lambda organization, _, of: queries.reports.general_ledger.listed(
        organization, PERIOD, selection=of, by=Dimension.PROJECT, after=None, limit=LIMIT
    ),
    "trial balance by project": lambda organization, _, of: queries.reports.trial_balances.trial_balance(
        organization, ReportColumns(PERIOD, None, None, of, Dimension.PROJECT)
    ),
    "hub, watched accounts": lambda organization, _account, _of: queries.transfers.watched.watched(
        organization
    ),
}


def main(lines: int) -> bool:
    """Measure both engines; answers whether every bar is held."""
    logging.disable(logging.INFO)
    is_held = True
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("sqlite", "postgresql"):
            is_held &= _engine(kind, Path(folder) / kind, lines)
    return is_held


def _engine(kind: str, folder: Path, lines: int) -> bool:
    folder.mkdir()
    store = SqliteFiles(folder) if kind == "sqlite" else PostgresqlServer("benchmark", "selections")
    house = House(store, folder)
    is_held = True
    try:
        for alike in (False, True):
            house.refresh()
            house.leave()
            organization_id = house.people["ada"].organization_id
            with house.app.app_context():
                histories.write(organization_id, 2 * lines, alike=alike)
                selections = _selected(organization_id)
                fa_id = db.session.scalars(sa.select(FeedAccount.id).order_by(FeedAccount.id)).first() or 0
                for is_counted in (False, True):
                    if is_counted:
                        _analyze()
                    words = f"{kind}, {'alike' if alike else 'spread'}, {'analyzed' if is_counted else 'not analyzed'}"
                    is_held &= _measured(words, organization_id, fa_id, selections)
    finally:
        house.leave()
        if kind == "postgresql":
            store.close()
    return is_held


def _selected(organization_id: str) -> dict[str, DimensionSelection]:
    """Give every counter leg a project and a merchant: the oldest three their own, all others the same ones."""
    named = {"organization_id": organization_id, "created_at": histories.AT, "updated_at": histories.AT}
    group = ProjectGroup(name="Group", **named)
    db.session.add(group)
    db.session.flush()
    projects = [Project(name=name, group_id=group.id, **named) for name in ("All", "Few", "None")]
    merchants = [Merchant(name=name, **named) for name in ("All", "Few")]
    db.session.add_all([*projects, *merchants])
    db.session.flush()
    oldest = db.session.scalars(sa.text("SELECT id FROM postings WHERE id % 2 = 0 ORDER BY id LIMIT 3")).all()
    of_counters = "UPDATE postings SET project_id = :project, org_merchant_id = :merchant WHERE id % 2 = 0"
    with histories.without_triggers():
        for row, which in ((0, "id > :last"), (1, "id <= :last")):
            db.session.execute(
                sa.text(f"{of_counters} AND {which}"),
                {"project": projects[row].id, "merchant": merchants[row].id, "last": oldest[-1]},
            )
    db.session.commit()
    return {
        "no filter": DimensionSelection(),
        "project all": DimensionSelection(project_id=projects[0].id),
        "project few": DimensionSelection(project_id=projects[1].id),
        "project none": DimensionSelection(project_id=projects[2].id),
        "group": DimensionSelection(project_group_id=group.id),
        "merchant few": DimensionSelection(org_merchant_id=merchants[1].id),
    }


def _analyze() -> None:
    if db.engine.dialect.name == "sqlite":
        db.session.execute(sa.text("ANALYZE"))
        db.session.commit()
        return
    db.session.remove()
    histories.vacuum(db.engine)


def _measured(
    words: str, organization_id: str, fa_id: int, selections: dict[str, DimensionSelection]
) -> bool:
    print(f"\n{words:<34}" + "".join(f"{name:>22}" for name in selections), flush=True)
    is_held = True
    for name, question in QUESTIONS.items():
        times = [_asked(question, organization_id, fa_id, each) for each in selections.values()]
        is_held &= all(each <= max(MOST_MILLISECONDS, MOST_RATIO * times[0]) for each in times)
        figures = "".join(f"{each:14.1f} {each / times[0]:7.2f}" for each in times)
        print(f"{name:<34}{figures}", flush=True)
    return is_held


def _asked(question: Question, organization_id: str, fa_id: int, selection: DimensionSelection) -> float:
    """Give the best time of a question in milliseconds; one that takes seconds is asked once."""
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < LONG_ENOUGH:
        db.session.remove()
        begin_read()
        begun = time.perf_counter()
        question(organization_id, fa_id, selection)
        times.append((time.perf_counter() - begun) * 1000)
    db.session.remove()
    return min(times)


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else LINES))
