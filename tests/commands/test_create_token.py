"""`tieout create-token`: a token for a program, shown once."""

import json
from dataclasses import replace

import pytest


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
