"""The databases of our tests on a cluster, a plugin of pytest: each one is distributed first."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import psycopg
import sqlalchemy as sa
from psycopg import sql

from webapp.database.tenancy import APP_ROLE, maintenance
from webapp.distribution import needs, placements

if TYPE_CHECKING:
    import pytest

BASE: Final = int(os.environ.get("BASE", "9700"))
WORKERS: Final = (BASE + 1, BASE + 2)
SHARDS: Final = 4
# The rows of every test go to all nodes at once, past triggers and foreign keys.
RENEWING: Final = (
    "SET LOCAL citus.propagate_set_commands = 'local'",
    "SET LOCAL session_replication_role = replica",
    "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
    "SELECT kept.renew()",
)
# What is not asked here, and why.
NOT_HERE: Final = {
    "test_every_damage_is_found_and_nothing_in_sound_books": "it damages rows past the triggers of one server",
    "test_the_number_of_questions_does_not_depend_on_how_much_there_is": "each organization is asked for itself",
    "test_without_the_applications_filter_no_answer_holds_a_foreign_word": "nodes refuse what names no organization",
    "test_a_transaction_says_its_organization_as_it_begins": "nodes are told it in a message of its own",
    **dict.fromkeys(
        [
            "test_what_is_kept_is_answered_after_one_question",
            "test_an_entry_is_asked_for_as_its_transaction_begins",
            "test_an_act_asks_who_acts_at_once_and_locks_the_books_as_it_begins",
            "test_confirming_a_line_takes_no_more_messages_than_statements",
        ],
        "nodes get some messages alone, and nothing is kept of them",
    ),
}
HAS_ROLE: Final = "SELECT 1 FROM pg_roles WHERE rolname = %s"


def url(name: str, port: int = BASE) -> str:
    """Give the address of a database of a node.

    >>> url("books", 9701)
    'postgresql://postgres@127.0.0.1:9701/books'
    """
    return f"postgresql://postgres@127.0.0.1:{port}/{name}"


class ClusterServer:
    """What the tests ask of a PostgreSQL server, by a cluster that runs already."""

    def __init__(self, _run: str, worker: str) -> None:
        """Meet every node, which all need the application's role."""
        self._prefix = f"citus_{worker}_"
        self._nodes = [psycopg.connect(url("postgres", port), autocommit=True) for port in (BASE, *WORKERS)]
        self._cleaners: dict[str, tuple[str, psycopg.Connection[Any]]] = {}
        for node in self._nodes:
            if node.execute(HAS_ROLE, [APP_ROLE]).fetchone() is None:
                node.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(APP_ROLE)))

    def url(self, name: str) -> str:
        """Give the address of a database, as SQLAlchemy reads it."""
        return url(self._prefix + name).replace("postgresql:", "postgresql+psycopg:")

    def make(self, name: str) -> None:
        """Begin with an empty database, of the coordinator alone: others are copied from it and then distributed."""
        self.drop(name)
        self._nodes[0].execute(sql.SQL("CREATE DATABASE {}").format(self._named(name)))

    def copy(self, source: str, target: str) -> None:
        """Make the target anew of the source's rows, on all nodes."""
        self.drop(target)
        coordinator, *workers = self._nodes
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
        coordinator.execute(made.format(self._named(target), self._named(source)))
        for worker in workers:
            worker.execute(sql.SQL("CREATE DATABASE {}").format(self._named(target)))
        self._spread(target)

    def renew(self, source: str, target: str) -> None:
        """Give the target the source's rows again."""
        from tests.fixtures.stores import ALONE, KEEP  # noqa: PLC0415  (pytest looks into them when it loads them itself)

        made_from, cleaner = self._cleaners.get(target, (None, None))
        if made_from != source or cleaner is None:
            self.copy(source, target)
            cleaner = psycopg.connect(url(self._prefix + target), autocommit=True)
            cleaner.execute(KEEP)
            self._cleaners[target] = source, cleaner
            return
        cleaner.execute(ALONE)
        with cleaner.transaction():
            for statement in RENEWING:
                cleaner.execute(statement)

    def drop(self, name: str) -> None:
        """Drop a database on every node."""
        if name in self._cleaners:
            self._cleaners.pop(name)[1].close()
        for node in self._nodes:
            node.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(self._named(name)))

    def close(self) -> None:
        """Leave the cluster as it was."""
        for name in ("template", "books", "demo", "empty"):
            self.drop(name)
        for node in self._nodes:
            node.close()

    def _spread(self, name: str) -> None:
        """Make Citus known in a database, and distribute it as `tieout distribute` does."""
        for port in (BASE, *WORKERS):
            with psycopg.connect(url(self._prefix + name, port), autocommit=True) as node:
                node.execute("CREATE EXTENSION citus")
        engine = sa.create_engine(self.url(name), poolclass=sa.NullPool)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"SELECT citus_set_coordinator_host('127.0.0.1', {BASE})")
            for port in WORKERS:
                connection.exec_driver_sql(f"SELECT citus_add_node('127.0.0.1', {port})")
        with maintenance(), engine.begin() as connection:
            connection.exec_driver_sql(f"SET LOCAL citus.shard_count = {SHARDS}")
            missing = needs.missing(connection)
            if missing:
                raise RuntimeError("\n".join(missing))
            placements.distribute(connection, lambda _text: None)

    def _named(self, name: str) -> sql.Identifier:
        return sql.Identifier(self._prefix + name)


def pytest_configure() -> None:
    """Let the houses and programs of tests stand on the cluster."""
    from tests.fixtures import houses, programs, statements  # noqa: PLC0415  (as above)

    houses.PostgresqlServer = ClusterServer  # type: ignore[misc,assignment]
    # Nodes are told the organization in a message of its own, that is otherwise part of BEGIN.
    statements.NOT_COUNTED += ("SET LOCAL tieout.organization",)  # type: ignore[assignment]
    start = programs.Program.__init__

    def start_as_application(program: Any, house: Any, *words: str, **named: Any) -> None:
        """Start a program; one that serves is told the role that may, for the other one is for maintenance here."""
        if words[0] == "serve":
            own = house.settings.database_url.replace("://postgres@", f"://{APP_ROLE}@")
            named.setdefault("DATABASE_URL", own)
        start(program, house, *words, **named)

    programs.Program.__init__ = start_as_application  # type: ignore[assignment,method-assign]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what cannot be asked of a cluster."""
    left_out = [item for item in items if getattr(item, "originalname", None) in NOT_HERE]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many tests of each folder passed and failed."""
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            if outcome != "passed" or report.when == "call":
                folder = "/".join(report.nodeid.split("::")[0].split("/")[:2])
                counts.setdefault(folder, Counter())[outcome] += 1
    terminalreporter.write_line("| tests on the cluster | passed | failed |\n|---|---|---|")
    for folder, count in sorted(counts.items()):
        terminalreporter.write_line(f"| {folder} | {count['passed']} | {count['failed'] + count['error']} |")
    for name, reason in NOT_HERE.items():
        terminalreporter.write_line(f"Not asked here: {name}: {reason}.")
