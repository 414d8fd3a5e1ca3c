"""A write that is sent again under its key is done once, and answered as it was the first time (P32)."""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.replays import everything
from webapp.database.failures import BusyError
from webapp.models import IdempotencyKey
from webapp.services.accounts import projects
from webapp.services.audit.idempotency_keys import KEPT, SWEPT_AT_ONCE

KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"


def under(key=KEY):
    return {"headers": {"Idempotency-Key": key}}


def named(person, name="Studio", key=KEY):
    return person.post("/api/projects", json={"name": name}, **under(key))


def names(person):
    return [each["name"] for each in person.get("/api/projects").json["projects"]]


def said(answer):
    return answer.status_code, answer.data, answer.content_type, answer.headers.get("Idempotency-Replayed")


def is_replay(answer, first):
    return said(answer) == (*said(first)[:3], "true")


def test_the_same_request_again_is_answered_byte_for_byte_and_done_once(ada):
    first = named(ada)
    assert first.status_code == 201
    assert "Idempotency-Replayed" not in first.headers
    assert is_replay(named(ada), first)
    assert is_replay(named(ada), first)
    assert names(ada) == ["Studio"]
    assert len(everything(ada, "action-requests?kind=create_project", "actionRequests")) == 1


def test_an_answer_does_not_follow_what_happened_since(ada):
    first = named(ada)
    ada.patch(f"/api/projects/{first.json['project']['id']}", json={"name": "Shop"})
    assert is_replay(named(ada), first)
    assert names(ada) == ["Shop"]


def test_another_key_and_no_key_do_it_again(ada):
    named(ada)
    assert named(ada, key="another").status_code == 201
    assert ada.post("/api/projects", json={"name": "Studio"}).status_code == 201
    assert names(ada) == ["Studio"] * 3


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/projects", b'{"name": "Shop"}'),
        ("POST", "/api/projects", b'{"name":"Studio"}'),
        ("POST", "/api/projects", b'{"name": "Studio"} '),
        ("POST", "/api/merchants", b'{"name": "Studio"}'),
        ("POST", "/api/projects?", b'{"name": "Studio", "emoji": ""}'),
        ("PATCH", "/api/projects/1", b'{"name": "Studio"}'),
        ("DELETE", "/api/projects/1", b""),
    ],
)
def test_another_request_under_the_key_is_refused(ada, method, path, body):
    named(ada)
    other = ada.ask(method, path, data=body, content_type="application/json", **under())
    assert (other.status_code, other.json["code"]) == (422, "idempotency_key_reused")
    assert "own" in other.json["error"]
    assert "Idempotency-Replayed" not in other.headers
    assert names(ada) == ["Studio"]


def test_another_query_is_another_request(ben, bank):
    rule = ben.post(
        "/api/automations/rules",
        json={"name": "All", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}]},
    ).json["rule"]["id"]
    path = f"/api/automations/rules/{rule}/apply"
    first = ben.post(f"{path}?faId=9", json={"digest": "0" * 64}, **under())
    other = ben.post(f"{path}?faId=8", json={"digest": "0" * 64}, **under())
    assert first.json["code"] != "idempotency_key_reused"
    assert other.json["code"] == "idempotency_key_reused"


def test_a_key_belongs_to_one_token_or_person_of_one_organization(ada, ben, dan):
    signed_in = ada.browser()
    asked = {"json": {"name": "Studio"}, **under()}
    answers = [named(ada), named(ada.with_scopes("read", "draft")), named(ben), named(dan)]
    answers.append(signed_in.post("/api/projects", **asked))
    assert [answer.status_code for answer in answers] == [201] * 5
    assert not any("Idempotency-Replayed" in answer.headers for answer in answers)
    assert len({answer.json["project"]["id"] for answer in answers}) == 5
    assert is_replay(signed_in.post("/api/projects", **asked), answers[-1])
    assert is_replay(named(dan), answers[3])
    assert len(names(ada)) == 4
    assert len(names(dan)) == 1


def test_a_refusal_of_the_books_is_answered_again_though_they_moved(ada, bank):
    """Whoever retries learns what came of the first try; a new try gets a new key."""
    line = bank.send("2026-03-02", "-5.00", status="PENDING")
    path = f"/api/transactions/{line}/confirm"
    first = ada.post(path, **under())
    assert (first.status_code, first.json["code"]) == (409, "pending")
    bank.ask(lambda: bank_books(ada.organization_id, line))
    assert is_replay(ada.post(path, **under()), first)
    failed = ada.get("/api/action-requests?status=FAILED").json["actionRequests"]
    assert len(failed) == 1
    assert ada.post(path, **under("a new try")).status_code == 422
    assert ada.post(path, **under("a-new-try")).status_code == 200


def bank_books(organization_id, line_id):
    from webapp.database.sessions import db  # noqa: PLC0415  (inside the application)
    from webapp.models import Transaction  # noqa: PLC0415
    from webapp.services.journal import line_drafts as drafts  # noqa: PLC0415

    line = db.session.get_one(Transaction, (organization_id, line_id))
    line.status = "BOOKED"
    drafts.add(line, now=datetime.now(UTC))


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/projects", {"name": ""}, 422),
        ("/api/transactions/999/confirm", {}, 404),
        ("/api/projects", {"name": "Studio", "groupId": 77}, 422),
    ],
)
def test_refusals_of_the_shape_are_answered_again(ada, session, path, body, status):
    first = ada.post(path, json=body, **under())
    assert first.status_code == status
    assert is_replay(ada.post(path, json=body, **under()), first)
    assert session.scalars(sa.select(IdempotencyKey.status)).all() == [status]


def test_who_was_not_let_in_has_not_used_the_key(ada, ben, cleo, session):
    assert named(cleo).status_code == 403
    assert ada.post("/api/projects", json={"name": "x" * 2**20}, **under()).status_code == 413
    assert ada.post("/api/projects", data="Studio", content_type="text/plain", **under()).status_code == 415
    assert ada.post("/api/projects", data="{", content_type="application/json", **under()).status_code == 400
    assert ada.post("/api/feeds/imports", data="x", content_type="text/plain", **under()).status_code == 415
    assert session.scalar(sa.select(sa.func.count(IdempotencyKey.id))) == 0
    assert named(ada).status_code == 201


@pytest.mark.parametrize("error", [RuntimeError("a fault"), BusyError()], ids=["500", "503"])
def test_what_failed_by_itself_is_done_by_the_next_try(ada, monkeypatch, error):
    def fail(*_args, **_kwargs):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(projects, "create", fail)
        assert named(ada).status_code in (500, 503)
    again = named(ada)
    assert again.status_code == 201
    assert "Idempotency-Replayed" not in again.headers
    assert names(ada) == ["Studio"]


def test_a_fault_at_the_commit_leaves_neither_the_write_nor_its_key(ada, monkeypatch, session):
    """Both are in one transaction."""
    from webapp.web.access import requests  # noqa: PLC0415

    real = requests.idempotency.store

    def fail(response):
        real(response)
        if response.status_code < 400:
            raise RuntimeError("the power is out")

    with monkeypatch.context() as patched:
        patched.setattr(requests.idempotency, "store", fail)
        assert named(ada).status_code == 500
    assert session.scalar(sa.select(sa.func.count(IdempotencyKey.id))) == 0
    assert names(ada) == []
    assert named(ada).status_code == 201


@on_sqlite
@pytest.mark.parametrize("key", ["", "x" * 256, "ü", "a b", "tab\tin", "\x7f"], ids=repr)
def test_a_malformed_key_is_refused(ada, key):
    answer = named(ada, key=key.encode().decode("latin-1"))
    assert (answer.status_code, answer.json["code"]) == (422, "validation")
    assert list(answer.json["fields"]) == ["Idempotency-Key"]
    assert names(ada) == []


@on_sqlite
def test_the_longest_key_is_taken(ada):
    assert is_replay(named(ada, key="~" * 255), named(ada, key="~" * 255)) is False
    assert len(names(ada)) == 1


def test_reads_take_no_notice(ada, session):
    assert named(ada).status_code == 201
    first = ada.get("/api/projects", **under())
    assert (first.status_code, first.headers.get("Idempotency-Replayed")) == (200, None)
    assert session.scalar(sa.select(sa.func.count(IdempotencyKey.id))) == 1


MARCH = bank_file(Line("2026-03-02", "-9.00"), Line("2026-03-03", "-9.00"))


def upload(person, data=MARCH, key=KEY, name="march.ofx", **more):
    form = {"file": (io.BytesIO(data), name), **more}
    return person.post("/api/feeds/imports", data=form, content_type="multipart/form-data", **under(key))


def test_a_file_is_imported_once_whatever_border_its_form_has(ben):
    first = upload(ben)
    assert first.status_code == 201
    assert is_replay(upload(ben), first)
    assert len(everything(ben, "feeds/imports", "imports")) == 1
    assert upload(ben, MARCH.replace(b"-9.00", b"-8.00")).json["code"] == "idempotency_key_reused"
    assert upload(ben, name="april.ofx").json["code"] == "idempotency_key_reused"
    assert upload(ben, dryRun="true").json["code"] == "idempotency_key_reused"
    assert len(everything(ben, "transactions", "transactions")) == 2


def test_a_refused_file_is_answered_again(ben):
    first = upload(ben, b"no bank's file")
    assert (first.status_code, first.json["code"]) == (422, "file_refused")
    assert is_replay(upload(ben, b"no bank's file"), first)
    assert [each["status"] for each in everything(ben, "feeds/imports", "imports")] == ["REFUSED"]


def test_a_previewed_file_is_taken_in_once(ben):
    previewed = upload(ben, dryRun="true")
    assert previewed.status_code == 200
    path = f"/api/feeds/imports/{previewed.json['import']['id']}/commit"
    first = ben.post(path, json={}, **under("commit"))
    assert (first.status_code, first.json["import"]["status"]) == (200, "IMPORTED")
    assert is_replay(ben.post(path, json={}, **under("commit")), first)
    assert is_replay(upload(ben, dryRun="true"), previewed)
    assert ben.post(path, json={}, **under("again")).status_code == 200


def test_a_push_is_taken_once(ben, bank):
    bank.open()
    path = f"/api/feeds/accounts/{bank.fa_id}/transactions"
    line = {"providerTransactionId": "one", "bookedOn": "2026-03-02", "amount": "5.00", "currency": "EUR"}
    first = ben.post(path, json={"batchId": "b", "added": [line]}, **under())
    assert first.status_code == 200
    assert is_replay(ben.post(path, json={"batchId": "b", "added": [line]}, **under()), first)
    assert len(everything(ben, "transactions", "transactions")) == 1


def test_a_dry_run_leaves_its_key_to_the_call(ada):
    asked = {"json": {"name": "Studio"}, **under()}
    tried = ada.post("/api/projects?dryRun=true", **asked)
    assert (tried.status_code, tried.json["dryRun"]) == (200, True)
    again = ada.post("/api/projects?dryRun=true", **asked)
    assert (again.status_code, again.json["dryRun"]) == (200, True)
    assert names(ada) == []
    made = ada.post("/api/projects", **asked)
    assert made.status_code == 201
    assert is_replay(ada.post("/api/projects", **asked), made)


def test_what_waits_for_a_person_is_asked_for_once(ada):
    agent = ada.with_scopes("read", "propose")
    first = named(agent)
    assert first.status_code == 202
    request = first.json["actionRequest"]
    path, body = f"/api/action-requests/{request['id']}/approve", {"digest": request["digest"]}
    approved = ada.browser().post(path, json=body, **under())
    assert approved.status_code == 200
    again = ada.browser().post(path, json=body, **under())
    assert is_replay(again, approved)
    assert is_replay(named(agent), first)
    assert names(ada) == ["Studio"]


def test_keys_outlive_a_day_and_go_after_two(ada, session):
    named(ada)
    age(session, timedelta(hours=24, minutes=1))
    assert named(ada).headers.get("Idempotency-Replayed") == "true"
    age(session, KEPT)
    for number in range(SWEPT_AT_ONCE):
        session.add(old_key(ada, number))
    session.commit()
    assert named(ada, key="another").status_code == 201
    assert session.scalar(sa.select(sa.func.count(IdempotencyKey.id))) == 2
    assert named(ada, key="third").status_code == 201
    assert session.scalars(sa.select(IdempotencyKey.key).order_by(IdempotencyKey.key)).all() == [
        "another",
        "third",
    ]


def age(session, by):
    session.execute(
        sa.update(IdempotencyKey)
        .values(created_at=datetime.now(UTC) - by)
        .execution_options(synchronize_session=False)
    )
    session.commit()


def old_key(person, number):
    return IdempotencyKey(
        organization_id=person.organization_id,
        actor_kind="TOKEN",
        actor_id=person.token_id,
        key=f"old-{number}",
        fingerprint="0" * 64,
        status=200,
        content_type="application/json",
        body=b"{}",
        created_at=datetime.now(UTC) - 2 * KEPT,
    )


def test_no_log_holds_a_key(ada, caplog, capfd):
    named(ada)
    named(ada)
    named(ada, name="Shop")
    assert KEY not in caplog.text + "".join(capfd.readouterr())


@on_sqlite
def test_the_document_names_the_header_on_every_write(ada):
    spec = ada.get("/api/openapi.json").json
    for path, item in spec["paths"].items():
        for method, said_ in item.items():
            if method in ("post", "put", "patch", "delete", "get"):
                found = [each["name"] for each in said_.get("parameters", []) if each["in"] == "header"]
                writes = method != "get" and not re.search(r"/rules/.*preview$", path)
                assert ("Idempotency-Key" in found) == writes, (method, path)
    assert json.dumps(spec).count("idempotency_key_reused") > 0
