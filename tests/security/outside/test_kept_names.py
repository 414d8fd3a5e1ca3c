"""A name from a row becomes a path in one module, which knows what such names look like."""

import ast

import pytest

from tests import tree
from webapp.database import places

HEX = "0123456789abcdef" * 2
EVIDENCE = f"{HEX * 2}-00000000"
STRANGE = [
    "",
    ".",
    "..",
    "../../x.pth",
    "/etc/cron.d/x",
    f"../{HEX}",
    f"{HEX}/..",
    f"{HEX}\0",
    f"{HEX}\n",
    HEX.upper(),
    HEX[1:],
    f"{HEX}0",
    f"{EVIDENCE}/x",
    "\u0660" * 32,
    None,
]
# Modules that divide numbers, or join names that no row has: of our own files, of a command's arguments, of slots.
NUMBERS = (
    "webapp/demo/",
    "webapp/importers/ofx/lines.py",
    "webapp/importers/tables/guesses.py",
    "webapp/ledger/",
    "webapp/queries/items/",
    "webapp/server/",
    "webapp/services/audit/plans.py",
    "webapp/web/rendering/",
)
NAMES_OF_OURS = {
    "webapp/commands/backups.py",
    "webapp/commands/clients.py",
    "webapp/commands/upgrading.py",
    "webapp/database/places.py",
    "webapp/database/sessions.py",
    "webapp/commands/stdio/files.py",
    "webapp/queries/checks/stored_files.py",
    "webapp/services/access/clients.py",
    "webapp/queries/tax/packs.py",
    "webapp/web/access/heavy_calls.py",
    "webapp/web/progress.py",
    "webapp/web/static_files.py",
}


def joins(path):
    """Yield what a module joins to a path that is not written there."""
    for node in ast.walk(tree.parsed(path)):
        parts = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            parts = [node.right]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "joinpath":
            parts = node.args
        for part in parts:
            if not isinstance(part, ast.Constant) and not (isinstance(part, ast.Name) and part.id.isupper()):
                yield ast.unparse(part)


def test_a_name_of_a_row_becomes_a_path_in_one_module():
    found = {
        str(path): list(joins(path))
        for path in tree.modules("webapp")
        if not str(path).startswith(NUMBERS) and any(joins(path))
    }
    assert {path: names for path, names in found.items() if path not in NAMES_OF_OURS} == {}
    assert set(found) == NAMES_OF_OURS, "those that join nothing any more leave the list"


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_name_is_refused(tmp_path, name):
    assert not places.is_name(name)
    with pytest.raises(places.StrangeNameError):
        places.place_in(tmp_path, name)


@pytest.mark.parametrize("name", [HEX, EVIDENCE])
def test_a_name_of_ours_is_a_path_in_its_folder(tmp_path, name):
    assert places.place_in(tmp_path, name) == tmp_path / name


@pytest.mark.parametrize("organization_id", ["", ".", "../x", "/x", "a\0", "a" * 41, "a/b"])
def test_a_strange_organization_is_refused(app, organization_id):
    with app.app_context(), pytest.raises(places.StrangeNameError):
        places.evidence_place(organization_id, EVIDENCE)
