"""Imports point down: the arrow of the house, held layer by layer."""

import ast
from collections.abc import Callable
from pathlib import Path

from tests import tree

# Layer -> the parts of webapp it may import. A layer may always import itself.
ARROW = {
    "ledger": set(),
    "config": {"ledger"},
    "db": {"ledger", "config", "models"},
    "server": {"config", "db"},
    "importers": {"ledger"},
    "exporters": {"ledger"},
    "demo": {"ledger"},
    "schemas": {"ledger"},
    "models": {"ledger", "db"},
    "queries": {"ledger", "db", "models", "exporters"},
    "services": {"ledger", "db", "models", "queries", "importers", "demo"},
    "errors": {"ledger", "db", "services", "web"},
    "web": {"ledger", "config", "db", "models", "queries", "services", "schemas", "errors"},
    "reference": {"ledger", "errors", "schemas", "web"},
    "api": {"config", "ledger", "errors", "queries", "services", "schemas", "web", "reference"},
    "pages": {"config", "ledger", "errors", "queries", "services", "schemas", "web", "reference"},
    "commands": {
        "config",
        "demo",
        "create_app",
        "db",
        "ledger",
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
    "pages": DATABASE_PACKAGES,
}
# Module -> what it alone may, because of what it is.
EXCEPTIONS = {
    "webapp/pages/health.py": {
        "db",
        "migrations",
        "sqlalchemy",
    },  # it asks whether there is a database at all
    "webapp/queries/access/principals.py": {"flask_login"},  # its answer is what Flask-Login takes for a user
    "webapp/services/audit/action_requests.py": {
        "commit"
    },  # a refusal is written after the request's rollback
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


def test_money_is_never_a_float():
    assert not wrong(floats)


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
    """Give what is found in each module that has some of it."""
    return {str(path): what for path in LAYERED if (what := found(path))}
