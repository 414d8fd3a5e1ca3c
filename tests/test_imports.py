"""Imports point down: between layers, between the packages of a layer, and never in a circle."""

import ast
import functools
import importlib
from collections.abc import Callable
from datetime import UTC, datetime
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests import tree
from webapp.database.session_state import SessionState
from webapp.web.access.request_state import RequestState

# Layer -> the parts of webapp it may import. A layer may always import itself.
ARROW = {
    "ledger": set(),
    "file_safety": set(),
    "config": {"ledger", "file_safety"},
    "database": {"config", "ledger"},
    "distribution": {"database"},
    "server": {"config", "web"},
    "importers": {"ledger"},
    "exporters": {"ledger"},
    "demo": {"ledger"},
    "schemas": {"ledger"},
    "models": {"ledger", "database"},
    "queries": {"ledger", "database", "models", "exporters"},
    "services": {
        "ledger",
        "database",
        "distribution",
        "models",
        "queries",
        "importers",
        "demo",
    },
    "errors": {"ledger", "database", "schemas", "services"},
    "web": {
        "ledger",
        "database",
        "config",
        "models",
        "queries",
        "services",
        "schemas",
        "errors",
    },
    "reference": {"ledger", "database", "errors", "schemas", "web"},
    "api": {"config", "ledger", "errors", "queries", "services", "schemas", "web", "reference"},
    # It has the calls of the API, and no other way to the books.
    "mcp": {"config", "ledger", "errors", "schemas", "web"},
    "pages": {"config", "ledger", "errors", "queries", "services", "schemas", "web", "reference"},
    "commands": {
        "database",
        "config",
        "demo",
        "books_alone",
        "create_app",
        "distribution",
        "ledger",
        "mcp",
        "migrations",
        "models",
        "queries",
        "schemas",
        "server",
        "services",
    },
}
WEB_PACKAGES = {"flask", "flask_login", "flask_smorest", "werkzeug", "jinja2", "jinja2_fragments", "webargs"}
DATABASE_PACKAGES = {"sqlalchemy", "flask_sqlalchemy", "alembic", "psycopg", "pysqlite3"}
# Layer -> packages of others it does without.
WITHOUT = {
    "ledger": WEB_PACKAGES | DATABASE_PACKAGES | {"marshmallow"},
    "importers": WEB_PACKAGES | DATABASE_PACKAGES | {"marshmallow"},
    "exporters": WEB_PACKAGES | DATABASE_PACKAGES | {"marshmallow"},
    "demo": WEB_PACKAGES | DATABASE_PACKAGES | {"marshmallow"},
    "schemas": WEB_PACKAGES - {"flask_smorest"} | DATABASE_PACKAGES,
    "models": WEB_PACKAGES | {"marshmallow"},
    "queries": WEB_PACKAGES | {"marshmallow"},
    "services": WEB_PACKAGES | {"marshmallow"},
    "api": DATABASE_PACKAGES,
    "mcp": DATABASE_PACKAGES,
    "pages": DATABASE_PACKAGES,
}
# Module -> what it alone may, because of what it is.
EXCEPTIONS = {
    "webapp/pages/health.py": {
        "database",
        "migrations",
        "sqlalchemy",
    },  # it asks whether there is a database at all
    "webapp/queries/access/principals.py": {"flask_login"},  # its answer is what Flask-Login takes for a user
    "webapp/queries/checks/__init__.py": {"distribution"},  # books on several nodes are checked one by one
    "webapp/queries/checks/stored.py": {"database"},  # whose books are checked, past the ORM
    "webapp/queries/checks/violations.py": {"database"},  # whose books are checked
    "webapp/queries/common/kept_rows.py": {"database"},  # where a session keeps rows
    "webapp/commands/worker.py": {"web"},  # letters are in the language of who reads them
    # It looks at the installation as a whole.
    "webapp/services/operating/diagnosis.py": {"config", "migrations"},
    "webapp/services/operating/machine.py": {"config", "file_safety"},
    "webapp/services/audit/action_requests.py": {
        "commit",
    },  # a refusal is written after the request's rollback
}
# Layer -> its packages from top to bottom; each imports only those that stand below it. A module of the layer that
# is in no package belongs to the package named by a dot.
PACKAGES = {
    "services": (
        "demo",
        "undo",
        "banks",
        "feeds",
        "reconciliation",
        "inbox",
        "imports",
        "closes",
        "moving",
        "bookkeeping",
        "documents",
        "transactions",
        "rules",
        "ingestion",
        "items",
        "tax",
        "journal",
        "accounts",
        "access",
        "operating",
        "backups",
        "audit",
        "storage",
    ),
    "queries": (
        "finding",
        "closes",
        "transactions",
        "suggestions",
        "checks",
        "documents",
        "effects",
        "rules",
        "transfers",
        "reports",
        "tax",
        "journal",
        "reconciliation",
        "items",
        "currencies",
        "accounts",
        "access",
        "audit",
        "matching",
        "imports",
        "common",
    ),
    "importers": (
        "book_tables",
        "invoice_tables",
        "records",
        "invoices",
        "pdfs",
        "camt",
        "mt940",
        "providers",
        "qif",
        "xlsx",
        "ofx",
        "tables",
        ".",
    ),
    "ledger": (
        "closing",
        "tax",
        "suggestions",
        "rules",
        "open_items",
        "matching",
        "proofs",
        "journal",
        "notation",
        "files",
        ".",
        "texts",
    ),
    "schemas": (
        "reconciliation",
        "transactions",
        "documents",
        "reports",
        "rules",
        "audit",
        "bookkeeping",
        "tax",
        "accounts",
        ".",
    ),
    "web": ("proposals", ".", "rendering", "access"),
    "api": (".", "documents", "audit", "bookkeeping", "rules", "transactions", "items", "tax", "accounts"),
    "mcp": (".", "tools", "shapes", "calls"),
    "commands": ("stdio", "."),
    "pages": (
        "access",
        "audit",
        "bookkeeping",
        "finding",
        "documents",
        "imports",
        "reconciliation",
        "transactions",
        "rules",
        "accounts",
        ".",
    ),
}
LAYERED = [path for path in tree.modules("webapp") if len(path.parts) > 1 and path.stem != "__init__"]
UNCOMMITTED = {"ledger", "models", "queries", "services", "schemas", "importers", "api", "pages"}
CLOCKLESS = {"ledger", "models", "queries", "services", "schemas", "importers", "demo"}
EXACT = {"ledger", "models", "importers", "schemas", "demo"}
CLOCKS = {"now", "today", "utcnow", "time", "time_ns"}


def layer(path: Path) -> str:
    return path.parts[1].removesuffix(".py")


def may(path: Path) -> set[str]:
    return EXCEPTIONS.get(str(path), set())


def imported(path: Path) -> set[str]:
    """Every dotted name a module imports when it runs, absolute; a name that only annotates is no import."""
    names = set()
    only_named = {
        inner
        for node in ast.walk(tree.parsed(path))
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree.parsed(path)):
        if node in only_named:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(path.parts[: len(path.parts) - node.level]) if node.level else ""
            base = ".".join(part for part in (above, node.module) if part)
            names |= {f"{base}.{alias.name}" for alias in node.names}
    return names


def module_name(path: Path) -> str:
    """The dotted name of a module, a package's own for its `__init__`."""
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def graph() -> dict[str, set[str]]:
    """Which module of ours imports which, annotations and the faces of packages included."""
    names = {module_name(path): path for path in tree.modules("webapp")}
    found = {}
    for name, path in names.items():
        asked = {
            f"{node.module}.{alias.name}" if f"{node.module}.{alias.name}" in names else node.module
            for node in ast.walk(tree.parsed(path))
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        found[name] = asked & names.keys() - {name}
    return found


def package(name: str) -> str:
    """The package of its layer that a module is in, or a dot for a module that is in none."""
    parts = name.split(".")
    is_package = (tree.ROOT / Path(*parts)).is_dir()
    return parts[2] if len(parts) > 3 or is_package else "."


def calls(path: Path) -> set[str]:
    """The last word of everything a module calls."""
    return {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(tree.parsed(path))
        if isinstance(node, ast.Call)
    }


def test_the_arrow_names_every_layer_of_the_house():
    known = ARROW.keys() | {"cli", "__init__"}
    assert {layer(path) for path in tree.modules("webapp")} <= known


def test_a_module_imports_only_what_lies_below_it():
    assert not wrong(beyond_the_arrow)


def beyond_the_arrow(path: Path) -> set[str]:
    allowed = ARROW.get(layer(path))
    ours = {name.split(".")[1] for name in imported(path) if name.startswith("webapp.")}
    return set() if allowed is None else ours - allowed - {layer(path)} - may(path)


def test_no_module_imports_itself_in_a_circle():
    # create_app imports the rooms within the function that builds them.
    arrows = {name: asked for name, asked in graph().items() if name != "webapp"}
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("room", PACKAGES)
def test_a_package_imports_only_those_below_it(room):
    order = PACKAGES[room]
    within = f"webapp.{room}."
    arrows = [
        (name, other)
        for name, asked in graph().items()
        if name.startswith(within)
        for other in asked
        if other.startswith(within) and package(other) != package(name)
    ]
    assert not [arrow for arrow in arrows if order.index(package(arrow[0])) >= order.index(package(arrow[1]))]


def test_every_package_has_its_place():
    found = {(path.parts[1], path.parts[2]) for path in tree.modules("webapp") if len(path.parts) > 3}
    placed = {(room, name) for room, order in PACKAGES.items() for name in order if name != "."}
    assert {each for each in found if each[0] in ARROW} == placed


def test_a_module_does_without_the_packages_of_other_layers():
    assert not wrong(foreign_packages)


def foreign_packages(path: Path) -> set[str]:
    packages = {name.split(".")[0] for name in imported(path)}
    return packages & WITHOUT.get(layer(path), set()) - may(path)


def test_the_request_commits_and_nothing_below_it():
    assert not wrong(commits)


def commits(path: Path) -> set[str]:
    return calls(path) & {"commit"} - may(path) if layer(path) in UNCOMMITTED else set()


def test_the_clock_is_an_argument():
    assert not wrong(clocks)


def clocks(path: Path) -> set[str]:
    if layer(path) not in CLOCKLESS:
        return set()
    read = {
        node.func.attr
        for node in ast.walk(tree.parsed(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and getattr(node.func.value, "id", getattr(node.func.value, "attr", ""))
        in {"datetime", "date", "time"}
    }
    return read & CLOCKS


def test_what_a_request_and_a_session_carry_is_declared_once():
    """Flask's `g` and SQLAlchemy's `info` take any name from anybody; ours are typed objects, which refuse others."""
    modules = tree.modules("webapp")
    assert [str(path) for path in modules if "flask.g" in imported(path)] == [
        "webapp/web/access/request_state.py"
    ]
    assert [
        str(path) for path in modules if "session.info" in tree.text(path).replace("session()", "session")
    ] == ["webapp/database/session_state.py"]
    for state in (RequestState(datetime.now(UTC)), SessionState()):
        with pytest.raises(AttributeError):
            state.whatever = 1


# Services that name the column all the same: a copy of staged lines and what is written as text have no defaults, a
# rule that runs does not change, and a mapping that is used again is the latest one.
DATED_BY_HAND = {
    "webapp/services/audit/updates.py",
    "webapp/services/feeds/pushes.py",
    "webapp/services/imports/column_mappings.py",
    "webapp/services/ingestion/rule_choices.py",
    "webapp/services/ingestion/writes.py",
}


def test_when_a_row_changed_is_set_by_its_column_and_at_the_end_of_an_act():
    services = [path for path in tree.modules("webapp") if layer(path) == "services"]
    assert {str(path) for path in services if "updated_at" in tree.text(path)} == DATED_BY_HAND


def test_money_is_never_a_float():
    # One official rule on e-invoices compares binary fractions, and only its verdict comes of that.
    assert wrong(floats) == {"webapp/importers/invoices/rules/arithmetic.py": {"float"}}


def floats(path: Path) -> set[str]:
    if layer(path) not in EXACT:
        return set()
    literals = {
        f"line {node.lineno}"
        for node in ast.walk(tree.parsed(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, float)
    }
    return literals | calls(path) & {"float"}


def wrong(found: Callable[[Path], set[str]]) -> dict[str, set[str]]:
    return {str(path): what for path in LAYERED if (what := found(path))}


def test_benchmarks_import_what_there_is():
    """Nothing runs them with the tests: a name that moved would be missed on the day when one is measured."""
    names = [".".join(path.with_suffix("").parts) for path in tree.modules("benchmarks")]
    assert names
    for name in names:
        importlib.import_module(name)
