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


def test_what_is_put_into_a_line_is_named(audit_file):
    lines = audit_file()
    for place, line in enumerate(lines):
        for more in ('"note":"false",', '"type":"head",'):
            assert verify([*lines[:place], "{" + more + line[1:], *lines[place + 1 :]]), (more, line)


def test_a_value_by_the_name_of_another_field_is_named(audit_file):
    lines = audit_file()
    kinds = set()
    for place, record in enumerate(map(json.loads, lines)):
        for fields, named in by_other_names(record):
            kinds.add(record["kind"])
            changed = canonical_json(record | {"values": named})
            assert verify([*lines[:place], changed, *lines[place + 1 :]]), (fields, record)
    assert kinds >= {"entry", "account", "member", "proof", "organization"}


def by_other_names(record):
    """Name the values of a row anew in every way that keeps their order, one name left out and another at the end."""
    if record["type"] != "row":
        return
    own, values = [each for each in FIELDS[record["kind"]] if isinstance(each, str)], record["values"]
    for name, names in (each for each in FIELDS[record["kind"]] if not isinstance(each, str)):
        for skipped in names[:-1] if values[name] else ():
            rows = [renamed(names, row, skipped) for row in values[name]]
            if rows != values[name]:
                yield (name, skipped), values | {name: rows}
    lists = {name: value for name, value in values.items() if name not in own}
    mine = {name: value for name, value in values.items() if name in own}
    for skipped in own[:-1]:
        named = renamed(own, mine, skipped)
        if named != mine:
            yield skipped, named | lists


def renamed(names, row, skipped):
    given = [row[name] for name in names if name in row]
    return dict(zip([name for name in [*names, "more"] if name != skipped], given, strict=False))


def test_a_row_as_it_once_was_is_named_between_the_events(audit_file, ada):
    food = ada.post("/api/accounts", json={"name": "Food", "type": "EXPENSE"}).json["account"]["id"]
    was = audit_file()
    ada.patch(f"/api/accounts/{food}", json={"name": "Fare"})
    lines = audit_file()
    old = next(line for line in was if '"name":"Food"' in line and json.loads(line)["type"] == "row")
    place = next(number for number, line in enumerate(lines) if line not in was and '"type":"event"' in line)
    head = json.loads(lines[-1])
    head = canonical_json(head | {"rows": head["rows"] + 1})
    assert verify([*lines[:place], old, *lines[place:-1], head]) == [
        f"Line {place + 2}: it comes after a row, which another event may have bound since."
    ]


def test_a_head_without_books_is_named():
    assert verify(['{"events":0,"hash":"","rows":0,"sequence":0,"type":"head"}'])


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


NO_HEADS = {
    "no JSON": "no head",
    "no second line": '{"organization":"org_1"}',
    "no object": "[]\n[]",
    "another end": '{"organization":"org_1"}\n{"type":"event","sequence":1,"hash":"0"}',
    "no event": '{"organization":"org_1"}\n{"type":"head","sequence":0,"hash":"0"}',
    "too large": '{"organization":"org_1"}\n{"type":"head","sequence":9223372036854775808,"hash":"0"}',
    "no text": '{"organization":"org_1\\u0000"}\n{"type":"head","sequence":1,"hash":"0"}',
    "too deep": "[" * 100_000,
}


@pytest.mark.parametrize("text", NO_HEADS.values(), ids=NO_HEADS)
def test_a_file_without_a_head_is_refused(command, ben, tmp_path, text):
    (tmp_path / "head").write_text(text, encoding="utf-8")
    assert "names no head" in command("check", "--head", str(tmp_path / "head")).stderr


def test_the_head_of_other_books_is_named(command, ben, tmp_path):
    head = '{"organization":"org_1"}\n{"type":"head","sequence":1,"hash":"0"}'
    (tmp_path / "head").write_text(head, encoding="utf-8")
    (found,) = json.loads(command("check", "--head", str(tmp_path / "head"), "--json").stdout)["violations"]
    assert (found["code"], found["organizationId"]) == ("chain_cut", "org_1")


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
