"""The log: one line of JSON for each request, with the request's id and without a secret."""

import json
import logging

import pytest

from webapp.web.logs import JsonLines


@pytest.fixture
def log(app, capsys):
    """Read the lines that were written since."""

    def lines():
        return [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    lines()
    return lines


def test_a_request_is_one_line(ada, bank, log):
    line_id = bank.send("2026-03-02", "1.00")
    log()
    ada.get(f"/api/transactions/{line_id}", headers={"X-Request-Id": "of-this-test"})
    (line,) = log()
    assert line["message"] == "request"
    assert line["clientRequestId"] == "of-this-test"
    assert (line["method"], line["route"], line["status"]) == (
        "GET",
        "/api/transactions/<id:transaction_id>",
        200,
    )
    assert line["ids"] == {"transaction_id": line_id}
    assert (line["organizationId"], line["tokenId"]) == (ada.organization_id, ada.token_id)


def test_an_act_is_one_line_once_it_is_committed(ada, bank, desk, log):
    line_id = bank.send("2026-03-02", "1.00")
    path = f"/api/transactions/{line_id}/confirm"
    log()
    ada.post(f"{path}?dryRun=true")
    assert [each["message"] for each in log()] == ["request"]
    done = ada.post(path)
    act, request = log()
    told = (act["kind"], act["status"], act["actionRequestId"], act["organizationId"])
    assert told == ("confirm_transaction", "EXECUTED", done.json["actionRequestId"], ada.organization_id)
    assert (act["message"], act["requestId"]) == ("act", request["requestId"])
    voided = f"/api/journal-entries/{desk.line(line_id)['journalEntryId']}/void"
    assert [ada.post(voided, json={"reason": "Twice"}).status_code for _ in range(2)] == [200, 409]
    assert [each["status"] for each in log() if each["message"] == "act"] == ["EXECUTED", "FAILED"]


def test_an_unexpected_error_is_one_line_with_its_place(ada, log, monkeypatch):
    def break_down(*_args, **_kwargs):
        raise RuntimeError(f"with {ada.token} in it\nand a second line")

    monkeypatch.setattr("webapp.queries.transactions.line_lists.listed", break_down)
    ada.get("/api/transactions", headers={"X-Request-Id": "of-this-test"})
    error, request = log()
    assert error["requestId"] == request["requestId"] != "of-this-test"
    assert error["clientRequestId"] == request["clientRequestId"] == "of-this-test"
    assert "RuntimeError" in error["traceback"]
    assert ada.token not in json.dumps(error)
    assert request["status"] == 500


def test_no_secret_is_ever_written(app, client, ada, log, caplog):
    cookie = ada.cookie()
    client.set_cookie("tieout", cookie)
    local = {"Sec-Fetch-Site": "same-origin"}
    ada.get(f"/api/transactions?q={ada.token}")
    client.get("/api/transactions?q=private-words")
    client.get(f"/join/{ada.token}")
    client.post("/sign-in", data={"email": ada.email, "password": ada.password}, headers=local)
    client.post("/sign-in", data={"email": ada.email, "password": "a wrong guess"}, headers=local)
    client.get("/", headers={"Authorization": f"Bearer {ada.token}"})
    written = json.dumps(log())
    for secret in (ada.token, ada.password, cookie, "a wrong guess", "private-words"):
        assert secret not in written


HUSHED = "-".join(("not", "for", "the", "log"))


def test_a_refused_statement_is_logged_without_its_values(app, ada, bank, log, monkeypatch):
    import sqlalchemy as sa  # noqa: PLC0415

    from webapp.database.sessions import db  # noqa: PLC0415

    def clash(*_args, **_kwargs):
        db.session.execute(sa.text("INSERT INTO users (id, email) VALUES (1, :secret)"), {"secret": HUSHED})

    monkeypatch.setattr("webapp.services.transactions.lifecycle.confirm", clash)
    line_id = bank.send("2026-03-02", "1.00")
    assert ada.post(f"/api/transactions/{line_id}/confirm").status_code == 409
    assert HUSHED not in json.dumps(log())


def test_a_forged_line_stays_one_line():
    record = logging.LogRecord("x", logging.INFO, "x", 1, 'a\n{"level": "forged"}\r\x1b[31m', None, None)
    written = JsonLines().format(record)
    assert len(written.splitlines()) == 1
    assert "\x1b" not in written
