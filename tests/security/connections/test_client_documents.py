"""Documents of clients, read where this server may call: what counts of them, and what never does."""

import json

import pytest

from tests.security.connections.conftest import BACK, CLAUDE, answered
from webapp.queries.access import clients
from webapp.services.access import clients as kept
from webapp.services.operating import outbound

NEW = "https://claude.ai/new/back"
OTHER = "https://apps.example/client.json"


class Served:
    """The answers of the world: a document, bytes, or an error, by their address."""

    def __init__(self):
        self.answers, self.asked = {}, []

    def get(self, gate, address, wanted, *, most_bytes, seconds):
        gate._parsed(address, wanted)  # noqa: SLF001  (what the gate refuses, it refuses here too)
        self.asked.append((address, most_bytes, seconds))
        answer = self.answers.get(address, outbound.OutboundFailedError())
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, bytes) else json.dumps(answer).encode()


@pytest.fixture
def world(monkeypatch, public, house):
    served = Served()

    def get(gate, address, wanted, **limits):
        return served.get(gate, address, wanted, **limits)

    monkeypatch.setattr(outbound.Gate, "get", get)
    file = house.settings.instance_path / clients.DOCUMENTS
    file.unlink(missing_ok=True)
    yield served
    file.unlink(missing_ok=True)


def document(client_id=CLAUDE, *redirects, **facts):
    return {
        "client_id": client_id,
        "client_name": "A client",
        "redirect_uris": list(redirects or (BACK,)),
        **facts,
    }


def test_the_document_of_today_wins_and_is_kept(claude, world, house):
    world.answers[CLAUDE] = document(CLAUDE, NEW, token_endpoint_auth_method="none")
    assert claude.look(redirect_uri=BACK).status_code == 422
    assert world.asked == [(CLAUDE, 5 * 1024, 3)]
    assert claude.look(redirect_uri=NEW).status_code == 200
    assert len(world.asked) == 1
    (facts,) = clients.documents(house.settings.instance_path).values()
    assert (facts["redirects"], len(facts["sha256"]), facts["readAt"][-1]) == ([NEW], 64, "Z")


def test_an_address_that_was_not_shipped_asks_an_owner(claude, world, ben):
    world.answers[CLAUDE] = document(CLAUDE, BACK, NEW)
    claude.person, ada = ben, claude.person
    assert claude.look().status_code == 200
    for answer in (claude.look(redirect_uri=NEW), claude.consent(redirect_uri=NEW)):
        assert (answer.status_code, "Only an owner may allow it" in answer.text) == (403, True)
    claude.person = ada
    assert claude.consent(redirect_uri=NEW).headers["Location"].startswith(f"{NEW}?code=")


def test_what_changes_between_consent_and_token_changes_nothing(claude, world, monkeypatch):
    world.answers[CLAUDE] = document(CLAUDE, BACK)
    claude.look()
    before, after = claude.code(), answered(claude.consent())["code"]
    monkeypatch.setattr(kept, "FRESH", -kept.FRESH)
    world.answers[CLAUDE] = document(CLAUDE, NEW)
    # A form that was shown before is for the addresses of today, and a code for that of its consent.
    assert claude.look(redirect_uri=NEW).status_code == 200
    assert claude.consent().status_code == 422
    assert claude.redeem(before, redirect_uri=NEW).json["error"] == "invalid_grant"
    assert claude.redeem(after).status_code == 200


HOSTILE = {
    "another id": document("https://claude.ai/other", NEW),
    "an address elsewhere": document(CLAUDE, "https://evil.example/back"),
    "an address of any kind": document(
        CLAUDE, "javascript:alert(1)", "http://claude.ai/x", "https://claude.ai\\@evil.example/"
    ),
    "a secret alone": document(CLAUDE, NEW, token_endpoint_auth_method="private_key_jwt"),
    "no object": [],
    "no JSON": b"<html>",
    "deep": b"[" * 5000,
    "no text": b"\xff\xfe",
    "an inner address": outbound.OutboundAddressError(),
    "too much, too slow, or sent elsewhere": outbound.OutboundFailedError(),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_document_that_is_not_as_it_should_be_gives_no_other_way_back(claude, world, kind):
    world.answers[CLAUDE] = HOSTILE[kind]
    for address in ("https://evil.example/back", NEW, "https://claude.ai\\@evil.example/"):
        assert claude.look(redirect_uri=address).status_code == 422
    assert claude.look().status_code == 200


def test_one_that_supports_no_secret_is_taken_whatever_it_prefers(claude, world):
    both = ["private_key_jwt", "none"]
    world.answers[CLAUDE] = document(
        CLAUDE,
        NEW,
        token_endpoint_auth_method="private_key_jwt",
        token_endpoint_auth_methods_supported=both,
    )
    assert claude.look(redirect_uri=NEW).status_code == 200


def test_only_known_clients_and_listed_hosts_are_asked(claude, world, public):
    world.answers[OTHER] = document(OTHER, "https://apps.example/back")
    asked = {"client_id": OTHER, "redirect_uri": "https://apps.example/back"}
    for settings in ({}, {"outbound_hosts": frozenset({"other.example"})}, {"calls_others": False}):
        public(**settings)
        assert claude.look(**asked).status_code == 422
    # Who calls nobody connects the clients that are shipped all the same.
    assert claude.look().status_code == 200
    assert claude.look(client_id="https://claude.ai/somebody/else.json").status_code == 422
    assert world.asked == []
    public(calls_others=True, outbound_hosts=frozenset({"apps.example"}))
    page = claude.look(**asked)
    assert (page.status_code, "apps.example" in page.text) == (200, True)
    assert [each[0] for each in world.asked] == [OTHER]
    # What was read once counts no more where the host is no more listed.
    public(outbound_hosts=frozenset())
    assert claude.look(**asked).status_code == 422
