"""A drop folder that is not ours alone: nothing is moved, written or read through a link, nor where others write."""

import os

import pytest
from click.testing import CliRunner

from tests.commands.imports.test_watch import contents, folder, watch  # noqa: F401  (fixtures)
from tests.fixtures.helpers.documents import pdf
from tests.fixtures.helpers.replays import everything
from webapp.cli import main

RECEIPT = pdf("A meal")


@pytest.mark.parametrize("name", ["done", "refused"])
@pytest.mark.parametrize("kind", ["link to a folder", "link to nothing", "file"])
def test_nothing_is_moved_through_a_link(watch, folder, ada, tmp_path, name, kind):  # noqa: F811
    elsewhere = tmp_path / "site-packages"
    if kind == "file":
        (folder / name).write_bytes(b"")
    else:
        (folder / name).symlink_to(elsewhere)
    if kind == "link to a folder":
        elsewhere.mkdir()
    (folder / "note.pth").write_bytes(b"import os")
    (folder / "meal.pdf").write_bytes(RECEIPT)
    result = watch()
    assert result.exit_code == 1
    assert f"{name} is a link, or no folder: nothing is moved there. Remove it." in result.stderr
    assert everything(ada, "documents", "documents") == [], "nothing is taken that cannot be moved"
    assert {"note.pth", "meal.pdf"} <= contents(folder)
    assert not elsewhere.exists() or list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_write_into_is_taken_only_if_that_is_meant(watch, folder, app, ada, mode):  # noqa: F811
    folder.chmod(mode)
    (folder / "meal.pdf").write_bytes(RECEIPT)
    words = [str(folder), "--organization", ada.organization_id]
    with app.app_context():
        chosen = CliRunner().invoke(main, ["drop-folder", *words])
        shared = CliRunner().invoke(main, ["drop-folder", *words, "--shared"])
    assert (chosen.exit_code, shared.exit_code) == (1, 0)
    result = watch()
    assert (result.exit_code, "add --shared if they are to" in result.stderr) == (1, True)
    assert contents(folder) == {"meal.pdf"}
    assert watch(*words, "--shared").exit_code == 0
    assert contents(folder) == {"done/meal.pdf", "done/meal.pdf.txt"}


def test_a_folder_of_somebody_else_is_refused(watch, folder, monkeypatch):  # noqa: F811
    somebody = folder.stat().st_uid + 1
    if os.geteuid() == 0:
        os.chown(folder, somebody, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: somebody)
    assert "Other users of this machine may write into" in watch().stderr


def test_links_are_named_and_stay(watch, folder, ada, tmp_path):  # noqa: F811
    (tmp_path / "secret.pdf").write_bytes(RECEIPT)
    (folder / "note.pdf").symlink_to(tmp_path / "secret.pdf")
    result = watch()
    assert (result.exit_code, "note.pdf: not taken. It is a link" in result.stderr) == (0, True)
    assert everything(ada, "documents", "documents") == []
    assert (folder / "note.pdf").is_symlink()


def test_a_text_is_not_written_through_a_link(watch, folder, tmp_path):  # noqa: F811
    (folder / "done").mkdir()
    for name in ("meal.pdf.txt", ".meal.pdf.txt", ".meal (2).pdf.txt"):
        (folder / "done" / name).symlink_to(tmp_path / "x.pth")
    (folder / "meal.pdf").write_bytes(RECEIPT)
    result = watch()
    assert "meal.pdf: Filed as" in result.output
    assert not (tmp_path / "x.pth").exists()


@pytest.mark.parametrize("name", ["m" * 247 + ".pdf", "m" * 251, "é" * 125 + ".pdf", "n." + "p" * 249])
def test_a_long_name_is_shortened(watch, folder, ada, name):  # noqa: F811
    for number in range(2):
        (folder / name).write_bytes(pdf(f"Meal {number}"))
        assert "Filed as" in watch().output
    assert len(everything(ada, "documents", "documents")) == 2
    places = list((folder / "done").iterdir())
    assert len(places) == 4
    assert not [path for path in folder.iterdir() if path.is_file()]


def test_what_the_books_have_and_nothing_can_move_is_said_once(watch, folder, ada, monkeypatch):  # noqa: F811
    (folder / "meal.pdf").write_bytes(RECEIPT)
    with monkeypatch.context() as patch:
        patch.setattr(os, "mkdir", _denied)
        result = watch()
    assert result.exit_code == 0
    assert result.stderr.count("It was not moved (Operation not permitted). Move it yourself.") == 1
    assert len(everything(ada, "documents", "documents")) == 1
    assert contents(folder) == {"meal.pdf"}


def _denied(path, *words, make=os.mkdir, dir_fd=None):
    """Refuse folders in the drop folder alone, which is reached by its descriptor."""
    if dir_fd is not None:
        raise PermissionError(1, "Operation not permitted")
    make(path, *words)
