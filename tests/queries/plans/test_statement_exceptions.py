"""What statements tell a planner, or say in SQL: few places, each listed with its reason."""

import re
from pathlib import Path

WEBAPP = Path("webapp")
LISTED = WEBAPP / "database" / "exceptions.md"
MOST = 5
TELLS = re.compile(
    r"with_hint\(|sa\.text\(|INDEXED|enable_|joined_by_keys\(\)|'COPY |SET LOCAL (?!statement_timeout)"
)


# What a driver raises is one of SQLAlchemy's errors only where SQLAlchemy asked it.
RAW = re.compile(r"\.cursor\(|driver_connection|\.raw_connection\(")
ASK_DRIVERS = {"migrations/env.py", "services/backups/restores.py"}


def test_two_modules_ask_a_driver_past_sqlalchemy():
    """Below `database` the hooks of new connections do, whose errors `failures.is_of_driver` knows."""
    found = {str(path.relative_to(WEBAPP)) for path in WEBAPP.rglob("*.py") if RAW.search(path.read_text())}
    assert found == ASK_DRIVERS


def test_few_statements_tell_a_planner_anything_and_each_is_listed():
    modules = [path for layer in ("queries", "services") for path in (WEBAPP / layer).rglob("*.py")]
    found = {
        str(path.relative_to(WEBAPP))
        for path in modules
        if path.parts[1:3] != ("queries", "checks") and TELLS.search(path.read_text())
    }
    listed = set(re.findall(r"^\| `(\S+\.py)` \|", LISTED.read_text(), re.MULTILINE))
    assert found == listed
    assert len(listed) <= MOST
