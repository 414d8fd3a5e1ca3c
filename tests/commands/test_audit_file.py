"""An audit file is verified by an independent program, and a head that was kept shows that a chain was cut."""

import json
import random

import pytest
import sqlalchemy as sa

from examples.verify_books import FORMATS, verify
from tests.fixtures.desks import Desk
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.ledger.bound_rows import FIELDS, FORMAT
from webapp.ledger.canonical import canonical_json, sha256_hex


@pytest.fixture
def desk(ben, bank):
    return Desk(ben, bank)


@pytest.fixture
def proved(bank, desk):
    """Two lines, one of them voided after their proof, and a rate."""
    lines = bank.send_many([("2026-10-02", "100.00", "In"), ("2026-10-03", "-40.00", "Out „Zoë“")])
    desk.confirm(*lines)
    desk.prove("2026-10-31", "60.00")
    desk.void(desk.line(lines[1])["journalEntryId"])
    return lines


@pytest.fixture
def audit_file(command, ben, proved):
    """Write an audit file, and answer its lines."""

    def write(*options):
        answer = command("audit-file", "--organization", ben.organization_id, *options)
        assert answer.exit_code == 0, answer.output
        return answer.stdout.splitlines()

    return write


def test_the_program_knows_the_format_of_the_books():
    assert FORMATS.keys() == {FORMAT}
    assert sha256_hex(canonical_json(FIELDS)) in FORMATS[FORMAT]


def test_an_audit_file_is_verified_and_a_change_of_any_value_is_named(audit_file, rounds):
    lines = audit_file()
    assert verify(lines) == []
    assert {json.loads(line).get("kind") for line in lines} >= {"entry", "line", "proof", "account", "member"}
    chance = random.Random(7)  # noqa: S311  (not for secrets)
    for _ in range(rounds(100, 1000)):
        place = chance.randrange(len(lines))
        changed = canonical_json(with_one_change(json.loads(lines[place]), chance))
        assert verify([*lines[:place], changed, *lines[place + 1 :]]), (place, changed)


def with_one_change(value, chance):
    """Change one value somewhere within a value."""
    if isinstance(value, dict) and value:
        key = chance.choice(list(value))
        return {**value, key: with_one_change(value[key], chance)}
    if isinstance(value, list) and value:
        place = chance.randrange(len(value))
        return [*value[:place], with_one_change(value[place], chance), *value[place + 1 :]]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((1, -1, 1000))
    if isinstance(value, str) and value:
        place = chance.randrange(len(value))
        return value[:place] + ("x" if value[place] != "x" else "y") + value[place + 1 :]
    return "x"


def test_a_line_that_is_missing_or_in_another_place_is_named(audit_file):
    lines = audit_file()
    for place in range(len(lines)):
        assert verify([*lines[:place], *lines[place + 1 :]]), lines[place]
    assert verify([]) == ["Line 0: the file has no head."]


def test_a_period_has_its_events_and_the_rows_that_they_bound(audit_file):
    assert verify(audit_file("--from", "2026-01-01", "--to", "2099-12-31")) == []
    empty = audit_file("--to", "2020-12-31")
    assert verify(empty) == []
    assert json.loads(empty[-1])["events"] == 0


def test_a_head_that_was_kept_shows_that_events_were_cut_off(
    audit_file, command, bank, desk, proved, tmp_path
):
    backup, kept = tmp_path / "books.zip", tmp_path / "audit.jsonl"
    assert command("backup", str(backup)).exit_code == 0
    kept.write_text("\n".join(audit_file()) + "\n", encoding="utf-8")
    for file in (backup, kept):
        assert command("check", "--head", str(file)).exit_code == 0
    last = "(SELECT max(sequence) FROM audit_events)"
    bank.ask(lambda: cut(f"UPDATE audit_events SET hash = '0' WHERE sequence = {last}"))  # noqa: S608
    for file in (backup, kept):
        answer = command("check", "--head", str(file), "--json")
        assert "chain_cut" in {each["code"] for each in json.loads(answer.stdout)["violations"]}
    kept.write_text("no head")
    assert "names no head" in command("check", "--head", str(kept)).stderr


def cut(statement):
    """Write past the trigger that keeps the chain."""
    if db.engine.dialect.name == "sqlite":
        db.session.execute(sa.text("DROP TRIGGER audit_fixed"))
    else:
        db.session.execute(sa.text("SET LOCAL session_replication_role = replica"))
    db.session.execute(sa.text(statement))


def test_what_was_written_past_the_acts_is_bound_by_the_migration(app, bank, command):
    bank.account("Food")
    with app.app_context(), maintenance():
        db.session.execute(sa.text("UPDATE accounts SET name = 'Fare' WHERE name = 'Food'"))
        db.session.commit()
    found = json.loads(command("check", "--json").stdout)["violations"]
    assert [each["code"] for each in found] == ["row_not_bound"]
    assert "now binds 1 rows" in command("migrate").stderr
    assert "now binds" not in command("migrate").stderr
