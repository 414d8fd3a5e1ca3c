"""No other site's page changes anything (P44): the session cookie alone is never enough."""

from itertools import product

import pytest

from tests.fixtures.people import address_in
from tests.security.addresses import ENDING, addresses_of, refusal_of
from webapp.database.sessions import db
from webapp.models import BrowserSession

HOST = "http://localhost"
FORGED = {
    "cross-site": {"Sec-Fetch-Site": "cross-site"},
    "same-site": {"Sec-Fetch-Site": "same-site"},
    "cross-site with our origin": {"Sec-Fetch-Site": "cross-site", "Origin": HOST},
    "an invented word": {"Sec-Fetch-Site": "trust-me"},
    "an empty word": {"Sec-Fetch-Site": ""},
    "origin null": {"Origin": "null"},
    "another port": {"Origin": f"{HOST}:8080"},
    "another scheme": {"Origin": "https://localhost"},
    "a name that begins like ours": {"Origin": f"{HOST}.evil.example"},
    "a name that ends like ours": {"Origin": "http://evil-localhost"},
    "no header at all": {},
    "only a referrer": {"Referer": f"{HOST}/"},
    "htmx's header": {"HX-Request": "true"},
    "an AJAX header": {"X-Requested-With": "XMLHttpRequest"},
}
OURS = {
    "same-origin": {"Sec-Fetch-Site": "same-origin"},
    "typed by the person": {"Sec-Fetch-Site": "none"},
    "an old browser": {"Origin": HOST},
}
KINDS = {
    "json": {"json": {}},
    "text": {"data": "{}", "content_type": "text/plain"},
    "form": {"data": {"note": "x"}},
    "multipart": {"data": {"note": "x"}, "content_type": "multipart/form-data"},
    "nothing": {},
}
# Every way to forge with every kind of body.
FORGERIES = [
    (why, headers, kind, options) for why, headers in FORGED.items() for kind, options in KINDS.items()
]


@pytest.fixture
def signed_in(app, ada):
    client = app.test_client()
    client.set_cookie("tieout", ada.cookie())
    return client


@pytest.fixture
def unsafe(app):
    return [a for a in addresses_of(app) if not a.is_safe and a.scope != "public"]


@pytest.mark.rare
def test_every_unsafe_address_refuses_every_forged_request(
    ada, signed_in, unsafe, ids, state_of, portion, figure
):
    before = state_of(ada.organization_id)
    asked = 0
    for index, address in enumerate(unsafe):
        for why, headers, kind, options in portion(9, FORGERIES, index):
            path = address_in(ada.organization_id, address.path(ids))
            answer = signed_in.open(path, method=address.method, headers=headers, **options)
            asked += 1
            assert answer.status_code == 403, (address.name, why, kind)
            assert not address.is_api or refusal_of(answer)[0] == "csrf"
    assert state_of(ada.organization_id) == before
    figure("P44", f"{asked} forged requests to {len(unsafe)} addresses: all refused, nothing changed")


@pytest.mark.rare
def test_our_own_requests_pass(ada, signed_in, unsafe):
    for address in unsafe:
        path = address_in(ada.organization_id, address.path())
        for why, headers in OURS.items():
            if address.endpoint in ENDING or address.token_only:
                continue
            answer = signed_in.open(path, method=address.method, headers=headers, **address.options())
            assert answer.status_code not in (401, 403), (address.name, why)


def test_a_token_needs_no_vouching(ada, unsafe, portion):
    for address in portion(7, unsafe):
        # The protocol of models refuses foreign pages with a token as well (DNS rebinding).
        if address.session_only or address.token_only:
            continue
        headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
        answer = ada.ask(address.method, address.path(), headers=headers, **address.options())
        assert answer.status_code not in (401, 403), address.name


def test_with_a_token_the_cookie_is_not_read(app, ada, dan, bank, ids):
    """Dan's bad token beside Ada's cookie is nobody, and his good one is Dan."""
    client = app.test_client()
    client.set_cookie("tieout", ada.cookie())
    path = f"/api/transactions/{ids['transaction_id']}"
    assert client.get(path).status_code == 200
    for header in ("Bearer wrong", "", "Basic YWRhOmFkYQ=="):
        assert client.get(path, headers={"Authorization": header}).status_code == 401
        assert client.post(f"{path}/confirm", headers={"Authorization": header}).status_code == 401
    assert client.get(path, headers={"Authorization": f"Bearer {dan.token}"}).status_code == 404


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
def test_no_header_turns_a_read_into_a_write(ada, ids, header):
    path = f"/api/transactions/{ids['transaction_id']}"
    assert ada.get(path, headers={header: "DELETE"}).status_code == 200
    assert ada.get(f"{path}?_method=DELETE").status_code == 422
    assert ada.get(path).json["transaction"]["status"] == "BOOKED"


@pytest.mark.rare
def test_reading_changes_nothing(app, ada, ids, state_of, bank, portion):
    before = state_of(ada.organization_id)
    sessions = bank.ask(lambda: db.session.query(BrowserSession).count())
    browser = ada.browser()
    ways = [
        ada.get,
        browser.get,
        lambda path: browser.htmx("GET", path, target="lines"),
        lambda path: browser.client.head(address_in(ada.organization_id, path)),
        lambda path: browser.client.options(address_in(ada.organization_id, path)),
    ]
    for index, address in enumerate(each for each in addresses_of(app) if each.is_safe):
        paths = (address.path(ids), f"{address.path(ids)}?q=x", address.path())
        for way, path in portion(5, [*product(ways, paths)], index):
            way(path)
    assert state_of(ada.organization_id, without=("sessions",)) == {
        name: rows for name, rows in before.items() if name != "sessions"
    }
    assert bank.ask(lambda: db.session.query(BrowserSession).count()) == sessions + 1


def test_another_sites_form_does_not_sign_anybody_in(client, ada):
    form = {"email": ada.email, "password": ada.password}
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        answer = client.post("/sign-in", data=form, headers=headers)
        assert (answer.status_code, "Set-Cookie" in answer.headers) == (403, False)
