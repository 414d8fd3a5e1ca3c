"""`tieout create-token`, `tieout tokens` and `tieout whoami`: a token for a program, and who and where a shell is."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp.config import version
from webapp.database.sessions import db
from webapp.models import ApiToken


@pytest.fixture
def create_token(command, ada):
    def run(*words, organization=ada.organization_id, email=ada.email):
        return command(
            "create-token", "--organization", organization, "--email", email, "--name", "Importer", *words
        )

    return run


def test_its_text_opens_the_api(create_token, ada):
    result = create_token("--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, result.stderr, set(answer)) == (0, "", {"tokenId", "token"})
    assert replace(ada, token=answer["token"]).get("/api/transactions").status_code == 200


def test_people_get_the_text_alone(create_token):
    assert create_token().stdout.startswith("tie_")


def test_it_may_no_more_than_its_scopes(create_token, ada):
    program = replace(ada, token=create_token("--scope", "read").stdout.strip())
    assert program.get("/api/transactions").status_code == 200
    assert program.post("/api/projects/groups", json={"name": "Clients"}).status_code == 403


@on_sqlite
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"organization": "org_none"}, "Lantern Studio"),
        ({"email": "dan@example.com"}, "does not belong to Lantern Studio"),
    ],
    ids=["no organization", "no member"],
)
def test_wrong_use_says_what_there_is_and_exits_with_2(create_token, options, said):
    result = create_token(**options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_an_unknown_scope_is_wrong_use(create_token):
    result = create_token("--scope", "everything")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "reconcile" in result.stderr


def test_it_has_a_last_day_and_caps(create_token, ada, bank):
    caps = ("--max-entries-a-day", "1", "--max-amount-a-day", "250.00", "--max-requests-a-minute", "600")
    token = create_token("--expires", "2199-12-30", *caps).stdout.strip()
    program = replace(ada, token=token)
    lines = bank.send_many([("2026-03-02", "-1.00", "A line")] * 2)
    answers = [program.post(f"/api/transactions/{line}/confirm") for line in lines]
    assert [answer.status_code for answer in answers] == [200, 403]
    assert answers[0].headers["RateLimit-Limit"] == "600"
    kept = bank.ask(
        lambda: db.session.execute(
            sa.select(ApiToken.max_amount_a_day_minor, ApiToken.expires_at).where(
                ApiToken.prefix == token[:12]
            )
        ).one()
    )
    assert tuple(kept) == (250_00, datetime(2199, 12, 31, tzinfo=UTC))


@pytest.mark.parametrize(
    "words",
    [
        ("--expires", "tomorrow"),
        ("--max-entries-a-day", "-1"),
        ("--max-amount-a-day", "-0.01"),
        ("--max-amount-a-day", "NaN"),
        ("--max-amount-a-day", "much"),
        ("--max-requests-a-minute", "0"),
    ],
)
@on_sqlite
def test_a_cap_that_is_none_is_wrong_use(create_token, words):
    result = create_token(*words)
    assert (result.exit_code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--expires", "2020-01-01"), "expired already"), (("--max-amount-a-day", "1.001"), "EUR has 2 digits")],
)
@on_sqlite
def test_what_the_books_refuse_is_said(create_token, words, said):
    result = create_token(*words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr


def test_tokens_are_listed_without_their_texts_and_revoked_once(create_token, command, ada):
    made = json.loads(create_token("--json", "--scope", "read", "--expires", "2099-01-31").stdout)
    of_books = ["--organization", ada.organization_id]
    listed = json.loads(command("tokens", "list", *of_books, "--json").stdout)
    newest = listed[0]
    assert (newest["id"], newest["name"], newest["scopes"], newest["lastDay"], newest["revokedAt"]) == (
        made["tokenId"],
        "Importer",
        ["read"],
        "2099-01-31",
        None,
    )
    assert made["token"] not in json.dumps(listed)
    words = command("tokens", "list", *of_books).stdout
    assert words.split()[:2] == [str(made["tokenId"]), "Importer"]
    for changed in (True, False):
        result = command("tokens", "revoke", str(made["tokenId"]), *of_books, "--json")
        assert (result.exit_code, json.loads(result.stdout)["changed"]) == (0, changed)
    assert replace(ada, token=made["token"]).get("/api/transactions").status_code == 401
    assert "is revoked already" not in words
    assert "was revoked already, on 2" in command("tokens", "revoke", str(made["tokenId"]), *of_books).stdout


def test_a_token_of_other_books_is_not_revoked(create_token, command, ada, dan):
    made = json.loads(create_token("--json").stdout)
    result = command("tokens", "revoke", str(made["tokenId"]), "--organization", dan.organization_id)
    assert (result.exit_code, "There is no token" in result.stderr) == (2, True)
    assert replace(ada, token=made["token"]).get("/api/transactions").status_code == 200


def test_the_version_is_printed_where_there_are_no_books_yet(installation):
    result = installation("--version")
    assert (result.exit_code, result.stdout) == (0, f"tieout {version()}\n")


def test_whoami_names_the_books_and_no_password(command, ada, house):
    answer = json.loads(command("whoami", "--json").stdout)
    assert ada.organization_id in answer["organizations"]
    assert answer["instancePath"] == str(house.settings.instance_path)
    assert answer["actor"] == {"kind": "COMMAND", "name": "tieout"}
    words = command("whoami").stdout
    assert words.startswith(f"Tieout {version()} works on ")
    assert answer["database"] in words


def test_organizations_are_listed_with_their_owners(command, ada, dan):
    found = {each["id"]: each for each in json.loads(command("organizations", "--json").stdout)}
    assert {ada.organization_id, dan.organization_id} <= found.keys()
    assert ada.email in found[ada.organization_id]["owners"]
    assert dan.email not in found[ada.organization_id]["owners"]
    line = next(each for each in command("organizations").stdout.splitlines() if ada.organization_id in each)
    assert found[ada.organization_id]["name"] in line
    assert ada.email in line
