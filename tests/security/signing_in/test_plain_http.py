"""Over plain HTTP only visitors of the machine itself sign in, by their connection and not by what they write."""

from dataclasses import replace

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp import create_app
from webapp.database.sessions import db

LOCAL = {"Sec-Fetch-Site": "same-origin"}


def sign_in(client, person, **options):
    form = {"email": person.email, "password": person.password}
    return client.post("/sign-in", data=form, headers=LOCAL, **options)


@on_sqlite
@pytest.mark.parametrize("address", ["10.9.8.7", "192.168.0.7", "2001:db8::7", "::ffff:10.9.8.7"])
def test_plain_http_is_refused_by_the_address_of_the_visitor_whatever_host_it_names(app, ada, address):
    answer = sign_in(app.test_client(), ada, environ_base={"REMOTE_ADDR": address})
    assert (answer.status_code, "Set-Cookie" in answer.headers) == (403, False)
    answer = sign_in(
        app.test_client(), ada, base_url="https://localhost", environ_base={"REMOTE_ADDR": address}
    )
    assert answer.status_code == 303


@on_sqlite
@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("127.0.0.1", "localhost:8000"),
        ("::1", "[::1]"),
        ("::1", "[::1]:8000"),
        ("::ffff:127.0.0.1", "127.0.0.1"),
        ("127.0.0.1", "LOCALHOST"),
    ],
)
def test_this_machine_signs_in_under_each_of_its_names(app, ada, address, host):
    form = {"email": ada.email, "password": ada.password}
    environ = {"REMOTE_ADDR": address, "HTTP_HOST": host}
    answer = app.test_client().post("/sign-in", data=form, headers=LOCAL, environ_overrides=environ)
    assert answer.status_code == 303
    assert app.test_client().get("/healthz", environ_overrides=environ).status_code == 200


@on_sqlite
@pytest.mark.parametrize(("proto", "status"), [("https", 303), ("http", 403)])
def test_behind_a_proxy_the_forwarded_protocol_decides(house, ada, proto, status):
    form = {"email": ada.email, "password": ada.password}
    behind = create_app(replace(house.settings, proxy_hops=1, trusted_hosts=("books.example",)))
    headers = {"X-Forwarded-Proto": proto, "X-Forwarded-For": "10.9.8.7", "X-Forwarded-Host": "books.example"}
    answer = behind.test_client().post("/sign-in", data=form, headers={**LOCAL, **headers})
    assert answer.status_code == status
    with behind.app_context():
        db.engine.dispose()
