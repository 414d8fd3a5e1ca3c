"""Each way in a thousand times, and no door that leads past a second factor."""

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlsplit

import pytest
from cbor2 import dumps
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import bytes_to_base64url

from tests.fixtures.people import apart
from tests.security.connections.conftest import Client
from tests.security.signing_in.conftest import LOCAL, PAGE, PUBLIC, go, is_in, link
from tests.security.signing_in.test_second_factors import (
    CODES,
    STEP,
    Phone,
    demand,
    passkey_of,
    show,
)
from webapp.database.sessions import db

MANY = 1000
VERIFIED = 0x05


class Device:
    """A device with a passkey of somebody, which signs what a server asks as browsers do."""

    def __init__(self, person, bank):
        self.person, self.key, self.counts = person, ec.generate_private_key(ec.SECP256R1()), count(1)
        numbers = self.key.public_key().public_numbers()
        point = {-2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        found = passkey_of(person)
        found.credential, found.public_key = bytes_to_base64url(b"hers"), dumps({1: 2, 3: -7, -1: 1, **point})
        bank.ask(lambda: db.session.add(found))

    def signed(self, challenge):
        said = {"type": "webauthn.get", "challenge": challenge, "origin": PUBLIC, "crossOrigin": False}
        client_data = json.dumps(said).encode()
        counted = struct.pack(">BI", VERIFIED, next(self.counts))
        data = hashlib.sha256(b"localhost").digest() + counted
        content = data + hashlib.sha256(client_data).digest()
        answer = {
            "clientDataJSON": bytes_to_base64url(client_data),
            "authenticatorData": bytes_to_base64url(data),
            "signature": bytes_to_base64url(self.key.sign(content, ec.ECDSA(hashes.SHA256()))),
        }
        own = bytes_to_base64url(b"hers")
        return json.dumps({"id": own, "rawId": own, "type": "public-key", "response": answer})

    def enter(self, client):
        asked = apart(client.post, "/sign-in/passkey/options", headers=LOCAL)
        sent = {"credential": self.signed(json.loads(asked.text)["challenge"]), "next": "/journal"}
        return apart(client.post, "/sign-in/passkey", data=sent, headers=LOCAL)


@dataclass
class Way:
    """A way in: what signs in, and how the same way is tried with what does not count."""

    enter: Callable
    fail: Callable


def by_password(person, _bank, _server):
    def sent(client, password):
        form = {"email": person.email, "password": password, "next": "/journal"}
        return apart(client.post, "/sign-in", data=form, headers=LOCAL)

    return Way(lambda client: sent(client, person.password), lambda client: sent(client, "not her password"))


def by_passkey(person, bank, _server):
    device = Device(person, bank)

    def fail(client):
        used = device.signed("bm90aGluZyBvZiBvdXJz")
        return apart(client.post, "/sign-in/passkey", data={"credential": used}, headers=LOCAL)

    return Way(device.enter, fail)


def by_app(person, bank, _server):
    phone = Phone(person, bank)

    def sent(code):
        client, step = phone.begin()
        assert not is_in(client)
        return client, show(client, step, code)

    return Way(lambda _client: sent(phone.code()), lambda _client: sent(phone.code(-5)))


def by_recovery(person, bank, _server):
    phone = Phone(person, bank)
    left, used = list(phone.recovery_codes), []

    def enter(_client):
        if not left:
            again = phone.browser.post(f"{PAGE}/app/codes", data={"current": person.password})
            left.extend(CODES.search(again.text)[1].split())
        client, step = phone.begin()
        used.append(left.pop())
        return client, show(client, step, used[-1])

    def fail(_client):
        client, step = phone.begin()
        return client, show(client, step, used[-1])

    return Way(enter, fail)


def by_another_server(person, _bank, server):
    link(server, person)

    def sent(client, subject):
        server.claims = {"sub": subject}
        return go(server, client, "/sign-in/oidc?next=/journal")

    return Way(lambda client: sent(client, "ada-1"), lambda client: sent(client, "ada-2"))


WAYS = (by_password, by_passkey, by_app, by_recovery, by_another_server)


@pytest.mark.parametrize("way", WAYS, ids=lambda each: each.__name__)
def test_each_way_leads_in_a_thousand_times(server, ada, bank, rounds, figure, way):
    found, refused = way(ada, bank, server), 0
    for turn in range(rounds(4, MANY)):
        fresh = ada.app.test_client()
        answer = found.enter(fresh)
        client, answer = answer if isinstance(answer, tuple) else (fresh, answer)
        assert (answer.status_code, answer.headers["Location"]) == (303, "/journal"), (turn, answer.text)
        assert is_in(client)
        # A few, which the limits of a network still take.
        if turn % (MANY // 4) == 0:
            fresh = ada.app.test_client()
            answer = found.fail(fresh)
            client, answer = answer if isinstance(answer, tuple) else (fresh, answer)
            assert answer.status_code == 401
            assert not is_in(client)
            refused += 1
    assert bank.broken() == []
    figure(
        "sign-ins", f"{way.__name__}: {turn + 1} of {turn + 1} in, 0 of {refused} with what does not count"
    )


def password_door(phone, _server, _dan):
    client, _step = phone.begin()
    return client


def other_server_door(phone, server, _dan):
    client = phone.person.app.test_client()
    answer = go(server, client)
    assert (answer.status_code, STEP.search(answer.text) is not None) == (200, True)
    return client


def invitation_door(phone, _server, dan):
    form = {"name": "Ada", "email": phone.person.email, "role": "viewer"}
    invited = dan.browser().post("/settings/members", data=form).text
    path = urlsplit(invited.partition('<code id="new-link">')[2].partition("<")[0]).path
    client = phone.person.app.test_client()
    answer = apart(client.post, path, data={"password": phone.person.password}, headers=LOCAL)
    assert (answer.status_code, STEP.search(answer.text) is not None) == (200, True)
    return client


@pytest.mark.parametrize("door", [password_door, other_server_door, invitation_door])
def test_what_comes_before_the_code_opens_nothing(server, ada, dan, bank, door):
    link(server, ada)
    client = door(Phone(ada, bank), server, dan)
    assert client.get_cookie("tieout") is None
    for path in ("/api/me", "/api/transactions", "/settings/sign-in", f"/b/{ada.organization_id}/journal"):
        assert apart(client.get, path).status_code in {401, 302, 303}, path
    for path in ("/settings/sign-in/app/remove", "/settings/sign-in/app/codes", "/settings/sign-in/passkeys"):
        assert apart(client.post, path, data={}, headers=LOCAL).status_code in {401, 302, 303}, path


def key(ben):
    return ben.get("/api/me")


def key_at_the_protocol(ben):
    return ben.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"})


def weak_session(ben):
    return ben.browser().get("/api/me")


def upload(ben):
    return ben.post("/api/feeds/imports", json={"fileName": "a.csv", "content": ""})


@pytest.mark.parametrize("door", [key, key_at_the_protocol, weak_session, upload])
def test_books_that_demand_one_are_closed_at_every_door(ada, ben, bank, door):
    assert door(ben).status_code != 403
    demand(bank, ada)
    answer = door(ben)
    assert (answer.status_code, "second_factor_required" in answer.text) == (403, True)


def test_a_connection_ends_where_its_person_lacks_one(server, ada, ben, bank):
    client = Client(ben)
    tokens = client.connect()
    assert client.ping(tokens["access_token"]).status_code == 200
    demand(bank, ada)
    refused = client.ping(tokens["access_token"])
    assert (refused.status_code, "second_factor_required" in refused.text) == (403, True)
    # The next tokens open no more than these, and who has none lets no other client in.
    newer = client.refresh(tokens["refresh_token"])
    assert newer.status_code == 400 or client.ping(newer.json["access_token"]).status_code == 403
    assert "code=" not in client.consent().headers.get("Location", "")
