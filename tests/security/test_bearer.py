"""Bearer tokens: recognised by their form, refused in every other (RFC 6750), and never kept as they are."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from webapp.db import Base, db
from webapp.models import ApiToken


def ask(app, header, path="/api/transactions"):
    return app.test_client().get(path, headers={} if header is None else {"Authorization": header})


MALFORMED = {
    "missing": None,
    "empty": "",
    "scheme alone": "Bearer",
    "scheme and space": "Bearer ",
    "no scheme": "{token}",
    "Basic": "Basic YWRhOmFkYQ==",
    "Basic with the token": "Basic {token}",
    "Token": "Token {token}",
    "a colon": "Bearer: {token}",
    "a tab": "Bearer\t{token}",
    "two tokens": "Bearer {token} {token}",
    "two headers": "Bearer {token},Bearer {token}",
    "trailing text": "Bearer {token}x",
    "a quoted token": 'Bearer "{token}"',
    "cut": "Bearer {cut}",
    "another checksum": "Bearer {wrong}",
    "another prefix": "Bearer xxx_{rest}",
    "upper case": "Bearer {upper}",
    "NUL": "Bearer {token}\0",
    "UTF-8": "Bearer t\u00e9ken",
    "64 kB": "Bearer " + "x" * 65536,
    "SQL": "Bearer ' OR 1=1 --",
    "never issued": "Bearer tie_00000000000000000000000000000000000000000002CZclj",
}


def written(form, token):
    wrong = token[:-1] + ("a" if token[-1] != "a" else "b")
    return form and form.format(token=token, cut=token[:-1], rest=token[4:], upper=token.upper(), wrong=wrong)


@pytest.mark.parametrize("form", MALFORMED)
def test_another_form_is_nobody(app, ada, form):
    answer = ask(app, written(MALFORMED[form], ada.token))
    assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert ada.token not in answer.text


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer  "])
def test_the_scheme_is_read_without_case(app, ada, scheme):
    assert ask(app, f"{scheme} {ada.token}").status_code == 200


@pytest.mark.parametrize("name", ["access_token", "token", "authorization", "api_key"])
def test_a_token_in_the_address_is_never_taken(app, ada, name):
    assert ask(app, None, f"/api/transactions?{name}={ada.token}").status_code == 401


def test_a_token_in_a_form_is_never_taken(app, ada):
    answer = app.test_client().post("/api/transactions/1/confirm", data={"access_token": ada.token})
    assert answer.status_code == 401


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
        return db.session.get_one(ApiToken, ada.token_id).last_used_at

    ada.get("/api/transactions").close()
    first = bank.ask(used)
    ada.get("/api/transactions").close()
    assert first is not None
    assert bank.ask(used) == first
