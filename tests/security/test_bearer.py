"""Bearer tokens: recognised by their form, refused in every other (RFC 6750), and never kept as they are."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa

from webapp.database.sessions import Base, db, own_transaction
from webapp.models import ApiToken

REALM = 'Bearer realm="Tieout"'
NO_REQUEST, NO_TOKEN = f'{REALM}, error="invalid_request"', f'{REALM}, error="invalid_token"'
NEVER_ISSUED = "tie_00000000000000000000000000000000000000000002CZclj"


def ask(app, header, path="/api/transactions"):
    return app.test_client().get(path, headers={} if header is None else {"Authorization": header})


# What is sent, and the challenge that answers it. Who sends no bearer token gets no error code (RFC 6750, 3.1).
MALFORMED = {
    "missing": (None, REALM),
    "empty": ("", REALM),
    "white space": ("  ", REALM),
    "the token alone": ("{token}", REALM),
    "Basic": ("Basic YWRhOmFkYQ==", REALM),
    "Basic with the token": ("Basic {token}", REALM),
    "Digest": ('Digest username="{token}"', REALM),
    "Token": ("Token {token}", REALM),
    "Bearers": ("Bearers {token}", REALM),
    "a colon": ("Bearer: {token}", REALM),
    "two headers, Basic first": ("Basic YWRhOmFkYQ==,Bearer {token}", REALM),
    "scheme alone": ("Bearer", NO_REQUEST),
    "scheme and space": ("Bearer ", NO_REQUEST),
    "scheme in lower case alone": ("bearer", NO_REQUEST),
    "a tab": ("Bearer\t{token}", NO_REQUEST),
    "two tokens": ("Bearer {token} {token}", NO_REQUEST),
    "two tokens with a comma": ("Bearer {token},{token}", NO_REQUEST),
    "two headers": ("Bearer {token},Bearer {token}", NO_REQUEST),
    "two headers, Basic second": ("Bearer {token}, Basic YWRhOmFkYQ==", NO_REQUEST),
    "the scheme twice": ("Bearer Bearer {token}", NO_REQUEST),
    "UTF-8": ("Bearer t\u00e9ken", NO_REQUEST),
    "NUL": ("Bearer {token}\0", NO_REQUEST),
    "NUL within": ("Bearer {cut}\0{token}", NO_REQUEST),
    "trailing text": ("Bearer {token}x", NO_TOKEN),
    "a quoted token": ('Bearer "{token}"', NO_TOKEN),
    "a parameter": ("Bearer token={token}", NO_TOKEN),
    "cut": ("Bearer {cut}", NO_TOKEN),
    "another checksum": ("Bearer {wrong}", NO_TOKEN),
    "another prefix": ("Bearer xxx_{rest}", NO_TOKEN),
    "upper case": ("Bearer {upper}", NO_TOKEN),
    "encoded": ("Bearer %74ie_{rest}", NO_TOKEN),
    "64 kB": ("Bearer " + "x" * 65536, NO_TOKEN),
    "SQL": ("Bearer 'OR(1=1)--", NO_TOKEN),
    "never issued": ("Bearer " + NEVER_ISSUED, NO_TOKEN),
}


def written(form, token):
    wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
    return form and form.format(token=token, cut=token[:-1], rest=token[4:], upper=token.upper(), wrong=wrong)


def test_every_other_form_is_nobody_and_told_why(app, ada, figure):
    """34 headers; whatever is answered repeats nothing of the token."""
    for name, (form, challenge) in MALFORMED.items():
        for path in ("/api/transactions", "/api/transactions/1/no-such-place"):
            answer = ask(app, written(form, ada.token), path)
            assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated"), name
            assert answer.headers.getlist("WWW-Authenticate") == [challenge], name
            assert answer.json["error"].endswith("."), name
            assert ada.token[4:-1] not in f"{answer.headers}{answer.text}", name
    figure("P40", f"{len(MALFORMED)} of {len(MALFORMED)} malformed headers are answered as the table says")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  ", " Bearer"])
def test_the_scheme_is_read_without_case_and_space_around_is_none_of_it(app, ada, scheme):
    assert ask(app, f"{scheme} {ada.token}").status_code == 200
    assert ask(app, f"{scheme} {ada.token} \t").status_code == 200


@pytest.mark.parametrize("name", ["access_token", "token", "authorization", "api_key"])
def test_a_token_in_the_address_is_never_taken_and_said_to_be_seen(app, ada, name):
    answer = ask(app, None, f"/api/transactions?{name}={ada.token}")
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, NO_REQUEST)
    assert "Revoke" in answer.json["error"]
    assert ada.token not in f"{answer.headers}{answer.text}"


def test_a_token_in_the_address_is_no_second_chance_and_no_better_one(app, ada, cleo):
    path = f"/api/transactions?access_token={ada.token}"
    assert ask(app, f"Bearer {NEVER_ISSUED}", path).status_code == 401
    answer = ask(app, f"Bearer {cleo.token}", path)
    assert answer.status_code == 422
    assert ada.token not in answer.text
    confirm = app.test_client().post(
        f"/api/transactions/1/confirm?access_token={ada.token}",
        headers={"Authorization": f"Bearer {cleo.token}"},
    )
    assert confirm.status_code == 403


@pytest.mark.parametrize(
    "sent",
    [{"data": {"access_token": "{token}"}}, {"json": {"access_token": "{token}"}}],
    ids=["form", "JSON"],
)
def test_a_token_in_a_body_is_never_taken(app, ada, sent):
    body = {kind: dict.fromkeys(fields, ada.token) for kind, fields in sent.items()}
    answer = app.test_client().post("/api/transactions/1/confirm", **body)
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, REALM)


def test_a_token_in_a_cookie_is_never_taken(app, ada):
    client = app.test_client()
    client.set_cookie("tieout", ada.token)
    client.set_cookie("access_token", ada.token)
    assert client.get("/api/transactions").status_code == 401


def test_a_token_is_told_which_scope_it_lacks(ada):
    answer = ada.with_scopes("read").post("/api/transactions/1/confirm")
    lacking = f'{REALM}, error="insufficient_scope", scope="confirm"'
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (403, lacking)
    unheard = ada.post("/settings/keys", data={"name": "Another", "preset": "look"})
    assert unheard.headers["WWW-Authenticate"] == f'{REALM}, error="insufficient_scope"'


def test_a_session_is_told_nothing_of_tokens(cleo):
    answer = cleo.browser().post("/api/transactions/1/confirm")
    assert (answer.status_code, "WWW-Authenticate" in answer.headers) == (403, False)


def raw(address, *lines):
    """Send a request as it stands, and read the status, the headers and the body of the answer."""
    host = urlsplit(address)
    with socket.create_connection((host.hostname, host.port), timeout=10) as connection:
        connection.sendall(b"\r\n".join([*lines, b"Host: localhost", b"Connection: close", b"", b""]))
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode(), json.loads(body)


def test_what_no_application_gets_to_see_is_json_too_and_repeats_nothing(gunicorn, gunicorns, ada):
    address, asked = gunicorn(1), b"GET /api/transactions HTTP/1.1"
    token = ada.token.encode()
    bearer = b"Authorization: Bearer " + token
    assert raw(address, asked, bearer)[0] == 200
    assert raw(address, asked, bearer + b"  \t ")[0] == 200
    refused = [
        (400, (asked, bearer, bearer)),
        (400, (asked, bearer + b"\0")),
        (400, (asked, b"Authorization Bearer " + token)),
        (400, (asked, bearer, b" " + token)),
        (431, (asked, bearer * 3000)),
        (431, (b"GET /api/transactions?access_token=" + token * 3000 + b" HTTP/1.1", bearer)),
        (400, (b"GET /api/transactions?access_token=" + token + b" HTTP/x",)),
        (401, (b"GET /api/transactions?access_token=" + token + b" HTTP/1.1",)),
    ]
    for status, lines in refused:
        answered, head, body = raw(address, *lines)
        assert (answered, set(body)) == (status, {"error", "code"}), lines[0][:60]
        assert "application/json" in head
        assert ada.token not in head + str(body)
    *_, server = gunicorns
    assert ada.token[4:] not in server.process.said()


@pytest.mark.parametrize(
    "change",
    [{"revoked_at": timedelta(seconds=-1)}, {"expires_at": timedelta(seconds=-1)}],
    ids=["revoked", "expired"],
)
def test_an_ended_token_is_nobody(ada, bank, change):
    values = {name: datetime.now(UTC) + age for name, age in change.items()}
    bank.ask(
        lambda: db.session.execute(sa.update(ApiToken).where(ApiToken.id == ada.token_id).values(values))
    )
    assert ada.get("/api/transactions").status_code == 401


def test_a_token_is_stored_nowhere(ada, bank):
    ada.get("/api/transactions").close()

    def everything():
        return "".join(
            repr(db.session.execute(sa.select(table)).all()) for table in Base.metadata.sorted_tables
        )

    kept = bank.ask(everything)
    assert ada.token not in kept
    assert ada.token[12:] not in kept


def test_the_last_use_is_noted_once_a_minute(ada, bank):
    def used():
        return db.session.get_one(ApiToken, (ada.organization_id, ada.token_id)).last_used_at

    ada.get("/api/transactions").close()
    first = bank.ask(used)
    ada.get("/api/transactions").close()
    assert first is not None
    assert bank.ask(used) == first


@pytest.mark.both
def test_a_read_never_waits_to_note_its_last_use(app, ada, bank):
    """Somebody writes for long, to SQLite's one file and to the very row; the use is noted when that is over."""

    def used():
        return db.session.get_one(ApiToken, (ada.organization_id, ada.token_id)).last_used_at

    own_row = sa.select(ApiToken.id).where(ApiToken.id == ada.token_id).with_for_update()
    with app.app_context(), own_transaction() as writing, ThreadPoolExecutor(1) as elsewhere:
        writing.execute(own_row)
        asking = elsewhere.submit(lambda: ada.get("/api/transactions").close())
        ended, _ = wait([asking], timeout=5)
        writing.rollback()
    assert ended == {asking}
    assert bank.ask(used) is None
    ada.get("/api/transactions").close()
    assert bank.ask(used) is not None
