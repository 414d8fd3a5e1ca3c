"""Messages to PostgreSQL on a connection of the driver: several statements at once, and an end that nobody waits for.

For each statement psycopg takes some 60 microseconds and a round trip. A message of the simple query protocol has as
many as it is given: https://www.postgresql.org/docs/current/protocol-flow.html. No values go beside it, so the driver
writes them into the text. A server may log its statements, so what is written to the books goes beside a text.
"""

from __future__ import annotations

import re
import select
import time
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import errors, generators
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import Connection

_PARAMETER: Final = re.compile(r"%\((\w+)\)s|%%")
_NUMBERS: Final = count(1)
# A firewall may forget a connection that rests for longer than this.
REST_SECONDS: Final = 30.0


# By keys from a few rows to the next, in the order in which they are joined; else whole tables would be read first.
_OF_JOINS: Final = {
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "join_collapse_limit": "1",
    "random_page_cost": "1",
    # What it expects looks dear enough for these.
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
}
BY_KEYS: Final = "; ".join(f"SET LOCAL {name} = {value}" for name, value in _OF_JOINS.items())
AS_EVER: Final = "; ".join(f"SET LOCAL {name} TO DEFAULT" for name in _OF_JOINS)


class Planning(Enum):
    """How PostgreSQL plans a question: for its values, once for all values, or so that it joins by keys as written.

    The last is for questions that begin with a few rows, as the planner cannot know: it takes an account that should be
    empty for one that has as many postings as the others.
    """

    ANEW = "anew"
    ONCE = "once"
    BY_KEYS = "by keys"


@dataclass(frozen=True, slots=True)
class Changed:
    """What a statement gave, by the names that a cursor has for it."""

    rows: list[Any]
    rowcount: int
    statusmessage: str


class Messages:
    """What is said on one connection, and which plans the server keeps for it."""

    def __init__(self, driver: Connection, *, keeps_plans: bool) -> None:
        """Say nothing yet. A connection of a pooler has no plans."""
        self._driver = driver
        self.keeps_plans = keeps_plans
        self._plans: dict[str, str] = {}
        self._used_at = time.monotonic()
        self._unread = select.poll()
        self._unread.register(driver.pgconn.socket, select.POLLIN)
        self.is_ending = False

    def ask(self, statements: Sequence[str]) -> list[list[Any]]:
        """Send statements in one message, and give the rows of each that is a question; raises the driver's errors."""
        self._driver.pgconn.send_query("; ".join(statements).encode(self._driver.info.encoding))
        return [self._rows(each) for each in self._results() if each.status == ExecStatus.TUPLES_OK]

    def change(self, text: str, values: Mapping[str, Any]) -> Changed:
        """Send a statement with its values beside it; the server keeps its plan. Raises the driver's errors."""
        plan, names, before = self._plan_of(text)
        if before:
            self.ask(before)
        sent = [values[name] for name in names]
        formats = [PyFormat.BINARY if isinstance(each, bytes) else PyFormat.TEXT for each in sent]
        writing = Transformer(self._driver)
        stored = writing.dump_sequence(sent, formats)
        self._driver.pgconn.send_query_prepared(plan.encode(), stored, writing.formats)
        (result,) = self._results()
        status = (result.command_status or b"").decode()
        return Changed(self._rows(result), result.command_tuples or 0, status)

    def written(self, text: str, values: Mapping[str, Any], planning: Planning = Planning.ANEW) -> list[str]:
        """Write a text with its values, as `planned` does where it is planned once for all values."""
        literals = {name: self._literal(value) for name, value in values.items()}
        if planning is Planning.ONCE and values:
            return self.planned(text, literals)
        said = text % literals if values else text
        return [BY_KEYS, said, AS_EVER] if planning is Planning.BY_KEYS else [said]

    def planned(self, text: str, literals: Mapping[str, str]) -> list[str]:
        """Write a text of which the server keeps the plan: one statement, or more where it has to be made first."""
        if not self.keeps_plans:
            return [text % literals]
        plan, names, before = self._plan_of(text)
        named = f"({', '.join(literals[name] for name in names)})" if names else ""
        return [*before, f"EXECUTE {plan}{named}"]

    def _plan_of(self, text: str) -> tuple[str, tuple[str, ...], list[str]]:
        """Give the plan of a text, its parameters in their order, and what has to be said before where it is new."""
        numbered, names = _numbered(text)
        plan = self._plans.get(text)
        if plan is not None:
            return plan, names, []
        # After an error nobody knows which plans there are.
        before = [] if self._plans else ["DEALLOCATE ALL"]
        plan = self._plans[text] = f"tieout_{next(_NUMBERS)}"
        return plan, names, [*before, f"PREPARE {plan} AS {numbered}"]

    def _results(self) -> list[Any]:
        results: list[Any] = self._driver.wait(generators.execute(self._driver.pgconn))
        if results[-1].status == ExecStatus.FATAL_ERROR:
            self._plans.clear()
            raise errors.error_from_result(results[-1], encoding=self._driver.info.encoding)
        return results

    def end(self) -> None:
        """End the transaction, and leave the answer to `is_there`.

        A rollback would take a round trip. END is COMMIT: https://www.postgresql.org/docs/current/sql-end.html
        """
        with suppress(psycopg.Error):
            self._driver.pgconn.send_query(b"END")
            self.is_ending = True

    def is_there(self) -> bool:
        """Read the answer to the end, and tell whether the connection is not lost; after a rest the server is asked.

        To ask it each time would be a round trip more. It says nothing unasked but that it closes the connection.
        """
        now = time.monotonic()
        has_rested, self._used_at = now - self._used_at > REST_SECONDS, now
        try:
            if self.is_ending:
                self._driver.wait(generators.execute(self._driver.pgconn))
                self.is_ending = False
            if has_rested:
                self.ask([""])
        except psycopg.Error:
            return False
        return not self._unread.poll(0)

    def _literal(self, value: Any) -> str:
        return psycopg.sql.quote(value, self._driver)

    def _rows(self, result: Any) -> list[Any]:
        reading = Transformer(self._driver)
        reading.set_pgresult(result)
        return reading.load_rows(0, result.ntuples, tuple)


@lru_cache(maxsize=256)
def _numbered(text: str) -> tuple[str, tuple[str, ...]]:
    """Number the parameters of a text, each name once, as PREPARE has them.

    >>> _numbered("SELECT %(day)s, %(id)s, %(day)s, '5%%'")
    ("SELECT $1, $2, $1, '5%'", ('day', 'id'))
    """
    names: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        name = found[1]
        return "%" if name is None else f"${names.setdefault(name, len(names) + 1)}"

    return _PARAMETER.sub(number, text), tuple(names)
