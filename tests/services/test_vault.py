"""Secrets of the vault: they open for their owner only, with a key outside the database, through rotations."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from webapp.cli import main
from webapp.database.sessions import begin_read, begin_write, db
from webapp.models import Secret
from webapp.services.operating import diagnosis
from webapp.services.storage import vault
from webapp.services.storage.vault import Owner, SecretLostError, VaultKeyError

pytestmark = pytest.mark.operates
NOW = datetime(2026, 11, 24, 8, tzinfo=UTC)
MINE, OTHERS = Owner("CONNECTION", "a" * 32), Owner("CONNECTION", "b" * 32)
ADDRESS = "https://ada:s3cret@bridge.example/simplefin"


@pytest.fixture
def books(app, ada):
    """Open the books of the test for writing, with no key yet."""
    with app.app_context():
        vault.key_path().unlink(missing_ok=True)
        begin_write()
        yield app
        db.session.rollback()
        db.session.execute(sa.delete(Secret))
        db.session.commit()
        db.session.remove()
        vault.key_path().unlink(missing_ok=True)


def change(**values):
    db.session.execute(sa.update(Secret).where(Secret.owner_uid == MINE.uid).values(values))


def rotate():
    db.session.rollback()
    result = CliRunner().invoke(main, ["vault", "rotate"], catch_exceptions=False)
    begin_write()
    return result


def test_a_secret_is_kept_replaced_and_dropped_and_nothing_of_it_is_in_its_row(books):
    for value in ("first", ADDRESS):
        vault.put(MINE, "access", value, now=NOW)
    vault.put(MINE, "key", "other", now=NOW)
    vault.put(OTHERS, "access", "theirs", now=NOW)
    assert [vault.get(MINE, "access"), vault.get(MINE, "key"), vault.get(OTHERS, "access")] == [
        ADDRESS,
        "other",
        "theirs",
    ]
    rows = db.session.execute(sa.select(sa.inspect(Secret).local_table)).mappings().all()
    assert len({row["nonce"] for row in rows}) == 3
    assert "s3cret" not in str([dict(row) for row in rows])
    assert vault.key_path().stat().st_mode & 0o777 == 0o600
    vault.drop(MINE)
    with pytest.raises(SecretLostError):
        vault.get(MINE, "key")
    assert vault.get(OTHERS, "access") == "theirs"


@pytest.mark.parametrize(
    "changed",
    [{"uid": "c" * 32}, {"owner_kind": "PERSON"}, {"purpose": "key"}, {"nonce": bytes(12)}, {"nonce": b""},
     {"ciphertext": b"s3cret"}, {"key_id": "0" * 16}],
)  # fmt: skip
def test_a_row_that_was_changed_does_not_open(books, changed):
    vault.put(MINE, "access", ADDRESS, now=NOW)
    change(**changed)
    owner = Owner(changed.get("owner_kind", MINE.kind), MINE.uid)
    with pytest.raises(SecretLostError) as refused:
        vault.get(owner, changed.get("purpose", "access"))
    assert "s3cret" not in str(refused.value)
    assert vault.count_lost() == 1


def test_a_secret_does_not_open_as_that_of_another_owner(books):
    vault.put(MINE, "access", ADDRESS, now=NOW)
    change(owner_uid=OTHERS.uid)
    with pytest.raises(SecretLostError):
        vault.get(OTHERS, "access")


def test_a_rotation_encrypts_all_anew_and_can_be_taken_up_again(books, monkeypatch):
    monkeypatch.setattr(vault, "AT_ONCE", 2)
    owners = [Owner("CONNECTION", f"{number:032}") for number in range(5)]
    for each in owners:
        vault.put(each, "access", each.uid, now=NOW)
    db.session.commit()
    first = vault.key_path().read_text()
    # It was stopped once the new key was there, and before anything was encrypted with it.
    vault.add_key()
    assert [vault.get(each, "access") for each in owners] == [each.uid for each in owners]
    result = rotate()
    assert "Encrypted 5 secrets" in result.stdout
    kept = vault.key_path().read_text()
    assert first not in kept
    assert len(kept.split()) == 2
    assert len(set(db.session.scalars(sa.select(Secret.key_id)))) == 1
    assert [vault.get(each, "access") for each in owners] == [each.uid for each in owners]
    assert list(diagnosis._of_vault()) == []  # noqa: SLF001


def test_a_lost_key_is_said_and_what_is_entered_anew_opens(books, tmp_path):
    vault.put(MINE, "access", ADDRESS, now=NOW)
    db.session.commit()
    vault.key_path().unlink()
    begin_read()
    (found,) = diagnosis._of_vault()  # noqa: SLF001
    assert found.code == "secrets_lost"
    db.session.rollback()
    begin_write()
    vault.put(MINE, "access", "new", now=NOW)
    assert vault.get(MINE, "access") == "new"
    db.session.commit()
    saved = CliRunner().invoke(main, ["backup", str(tmp_path / "b.zip")], catch_exceptions=False)
    assert f"keep a copy of {vault.key_path()} elsewhere" in saved.stdout
    for text, mode in (("new", 0o600), ("", 0o600), ("00" * 32, 0o640)):
        vault.key_path().write_text(text)
        vault.key_path().chmod(mode)
        with pytest.raises(VaultKeyError):
            vault.get(MINE, "access")
        assert [each.code for each in diagnosis._of_vault()] == ["vault_key"]  # noqa: SLF001
    begin_write()


def test_a_key_of_the_operators_is_never_made_nor_lost(books, monkeypatch, tmp_path):
    file = tmp_path / "keys"
    monkeypatch.setitem(books.config, "SETTINGS", replace(books.config["SETTINGS"], vault_key_file=file))
    with pytest.raises(VaultKeyError, match="openssl rand -hex 32"):
        vault.put(MINE, "access", ADDRESS, now=NOW)
    file.write_text("00" * 32)
    file.chmod(0o600)
    vault.put(MINE, "access", ADDRESS, now=NOW)
    file.write_text(f"{'11' * 32}\n{'00' * 32}\n")
    db.session.commit()

    def refuse(*_words):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(vault.whole_files, "keep", refuse)
    result = rotate()
    assert result.exit_code == 1
    assert "Write a new key above the others" in result.stderr
    file.write_text("11" * 32)
    assert vault.get(MINE, "access") == ADDRESS
