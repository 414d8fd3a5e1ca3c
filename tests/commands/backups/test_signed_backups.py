"""A key signs a backup; without it a restore lists what nothing in the books can vouch for."""

import hmac
import json
import os
import zipfile
from hashlib import sha256

import pytest

from tests.commands.backups.test_hostile_backups import in_column, rebuilt
from tests.fixtures.helpers.marks import on_sqlite
from webapp.models import Organization
from webapp.services.backups.rows import tables

pytestmark = on_sqlite


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_text("0123456789abcdef" * 4 + "\n")
    path.chmod(0o600)
    return path


@pytest.fixture
def signed(command, tmp_path, key, ada):
    """Books with a drop folder, signed; answers the backup and what the command said."""
    path, folder = tmp_path / "signed.zip", tmp_path / "scans"
    folder.mkdir(mode=0o700)
    assert command("drop-folder", "--organization", ada.organization_id, str(folder)).exit_code == 0
    result = command("backup", str(path), "--key-file", str(key), "--json")
    return path, json.loads(result.stdout)


def of(column):
    """Name the place of a column of organizations."""
    return [*Organization.__table__.columns.keys()].index(column)


def test_a_backup_says_its_digest_and_is_signed_by_the_standard_library(signed, key):
    path, said = signed
    assert said["sha256"] == sha256(path.read_bytes()).hexdigest()
    assert said["signed"] is True
    with zipfile.ZipFile(path) as archive:
        manifest, signature = archive.read("manifest.json"), archive.read("manifest.hmac").decode()
    secret = key.read_bytes().strip()
    assert signature == hmac.new(secret, b"tieout backup 1\n" + manifest, "sha256").hexdigest()


def test_a_restore_says_whether_it_was_signed(signed, key, backed_up, restored, ada, tmp_path):
    path, _ = signed
    for folder, words, state in (
        ("ours", (str(path), "--key-file", str(key)), "KEY"),
        ("unknown", (str(path),), "UNKNOWN"),
        ("nobody's", (str(backed_up()),), "NOBODY"),
    ):
        result = restored("restore", *words, "--json", folder=folder)
        said = json.loads(result.stdout)
        assert said["signed"] == state
        doubted = said["notVouchedFor"]
        chosen = restored("drop-folder", "--organization", ada.organization_id, "--json", folder=folder)
        dropped = json.loads(chosen.stdout)["dropFolder"]
        if state == "KEY":
            assert (doubted, dropped) == ({}, str(tmp_path / "scans"))
        else:
            assert f"{ada.email}, owner of Lantern Studio" in doubted["people and their passwords"]
            assert "Lantern Studio, EUR, not locked" in doubted["organizations"]
            assert any(each.endswith("of Lantern Studio") for each in doubted["keys"])
            assert f"{ada.email}: a password" in doubted["how they sign in"]
            (guards,) = (each for each in doubted["what guards them"] if each.startswith("Lantern Studio:"))
            assert "no second factors needed; keys do not approve" in guards
            assert [str(tmp_path / "scans")] in doubted.values()
            assert dropped is None


@pytest.mark.parametrize(
    ("table", "column", "text"),
    [
        ("users", "password_hash", "$argon2id$v=19$m=65536,t=3,p=4$c2FsdHNhbHQ$AAAA"),
        ("organizations", "base_currency", "USD"),
        ("api_tokens", "name", "Another"),
    ],
)
def test_a_signed_backup_that_was_changed_is_refused(signed, key, restored, table, column, text):
    path, _ = signed
    columns = next(each for each in tables() if each.name == table).columns.keys()
    other = rebuilt(path, {f"{table}.jsonl": in_column([*columns].index(column), text)})
    result = restored("restore", str(other), "--key-file", str(key))
    assert (result.exit_code, "is not signed with this key" in result.stderr) == (1, True)


def test_another_key_and_no_signature_are_refused(signed, backed_up, restored, tmp_path):
    path, _ = signed
    other = tmp_path / "other"
    other.write_bytes(os.urandom(64))
    other.chmod(0o600)
    for file in (path, backed_up()):
        result = restored("restore", str(file), "--key-file", str(other))
        assert (result.exit_code, "is not signed with this key" in result.stderr) == (1, True)


@pytest.mark.parametrize(
    ("mode", "size", "words"), [(0o640, 64, "chmod 600"), (0o600, 31, "shorter than 32")]
)
def test_a_weak_key_is_refused(command, tmp_path, mode, size, words):
    path = tmp_path / "weak"
    path.write_bytes(b"k" * size)
    path.chmod(mode)
    result = command("backup", str(tmp_path / "books.zip"), "--key-file", str(path))
    assert (result.exit_code, words in result.stderr) == (2, True)
    assert not (tmp_path / "books.zip").exists()


@pytest.mark.parametrize("currency", ["RUE", "XXX"])
def test_a_currency_that_is_none_is_a_violation(backed_up, restored, currency):
    path = rebuilt(backed_up(), {"organizations.jsonl": in_column(of("base_currency"), currency)})
    result = restored("restore", str(path))
    assert (result.exit_code, "none of ISO 4217" in result.stderr) == (1, True), result.output


def test_texts_of_a_strangers_file_do_not_act_on_the_terminal(backed_up, restored):
    def change(data):
        return data.replace(b'"ada@example.com"', b'"eve\\u001b]0;owned\\u0007@example.com"')

    path = rebuilt(backed_up(), {"users.jsonl": change})
    result = restored("restore", str(path))
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
