"""Webhooks: what an address is told, signed, tried again and never changed, by the worker and on its page."""

import json
import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Event

import pytest
import sqlalchemy as sa
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from webapp.commands.worker import JobRunner
from webapp.database.sessions import db
from webapp.models import Job, Secret, WebhookDelivery, WebhookEndpoint
from webapp.services.operating import outbound, webhooks
from webapp.services.operating.outbound import OutboundAnswer, OutboundFailedError

URL = "https://hooks.example/tieout"


class Receiver:
    """An address of somebody else: what it got, and how it answers."""

    def __init__(self):
        self.got, self.answers = [], []

    def answer(self, headers, body):
        self.got.append((headers, body))
        answer = self.answers.pop(0) if self.answers else OutboundAnswer(200, b"thank you", "")
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def ids(self):
        return [headers["webhook-id"] for headers, _ in self.got]


@pytest.fixture
def receiver(monkeypatch):
    found = Receiver()

    def ask(gate, method, address, wanted, *, headers, body, **_limits):
        assert (method, gate.require(address, wanted)) == ("POST", "hooks.example")
        return found.answer(headers, body)

    monkeypatch.setattr(outbound.Gate, "ask", ask)
    return found


@pytest.fixture
def work(app, bank):
    """Let the worker do what is due; all that waits for later is due too."""

    def done(*, later=True):
        if later:
            bank.ask(
                lambda: db.session.execute(sa.update(Job).values(run_at=datetime(2020, 1, 1, tzinfo=UTC)))
            )
        with app.app_context():
            one = JobRunner(app, Event())
            one.gather()
            while one.work():
                pass
            db.session.remove()

    return done


@pytest.fixture
def hook(ada):
    """Add a webhook on the page; answers its address there and its secret."""

    def added(**form):
        page = ada.browser().post(
            "/settings/webhooks", data={"url": URL, "types": "*", "view": "THIN", **form}
        )
        secret = re.search(r'<code id="new-secret">(whsec_[^<]+)', page.text)
        assert secret, page.text
        place = re.search(r"/settings/webhooks/\d+", page.text)[0]
        return place, secret[1]

    return added


def confirm(ada, line):
    assert ada.post(f"/api/transactions/{line}/confirm").status_code == 200


def row(bank, model):
    return bank.ask(lambda: db.session.scalars(sa.select(model).order_by(model.id.desc())).first())


def test_what_happens_is_told_once_and_another_library_verifies_it(ada, bank, line, hook, receiver, work):
    _, secret = hook(types="transaction.*")
    confirm(ada, line)
    for _ in range(2):
        work()
    ((headers, body),) = receiver.got
    told = Webhook(secret).verify(body, headers)
    assert (told["type"], told["data"]["kind"]) == ("transaction.executed", "confirm_transaction")
    assert told["data"]["target"] == {"kind": "transaction", "id": str(line)}
    assert b"REWE" not in body
    assert "name" not in told["data"]["actor"]
    assert ada.get(f"/api/action-requests/{told['data']['actionRequestId']}").status_code == 200
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body.replace(b"executed", b"rejected"), headers)
    assert bank.broken() == []


def test_the_whole_event_marks_what_strangers_wrote(ada, line, hook, receiver, work):
    hook(view="FULL", types="transaction.executed")
    confirm(ada, line)
    work()
    told = json.loads(receiver.got[0][1])
    (event,) = [
        each
        for each in ada.get("/api/events?include=body&limit=200").json["events"]
        if each["sequence"] == told["data"]["sequence"]
    ]
    assert (told["data"]["body"], told["data"]["hash"]) == (event["body"], event["hash"])
    assert told["untrusted"] == ["data.actor.name", "data.body"]


def test_what_is_too_long_for_a_message_stays_at_its_address(ada, line, hook, receiver, work, monkeypatch):
    monkeypatch.setattr(webhooks, "MOST_TOLD", 10)
    hook(view="FULL", types="transaction.executed")
    confirm(ada, line)
    work()
    told = json.loads(receiver.got[0][1])
    assert ("body" in told["data"], told["untrusted"]) == (False, ["data.actor.name"])
    (event,) = ada.get(told["data"]["bodyAt"]).json["events"]
    assert (event["hash"], "confirm_transaction" in event["body"]) == (told["data"]["hash"], True)


def test_a_proposal_that_waits_is_told_with_its_digest(ada, ben, line, hook, receiver, work, bank):
    hook(types="*.pending")
    request = (
        ben.with_scopes("read", "propose").post(f"/api/transactions/{line}/confirm").json["actionRequest"]
    )
    work()
    told = json.loads(receiver.got[0][1])["data"]
    assert (told["actionRequestId"], told["digest"]) == (request["id"], request["digest"])
    bank.allow_approving()
    body = {"digest": told["digest"]}
    assert (
        ada.with_scopes("approve")
        .post(f"/api/action-requests/{told['actionRequestId']}/approve", json=body)
        .status_code
        == 200
    )


def test_it_is_tried_again_with_the_same_bytes_and_given_up_in_the_end(ada, bank, line, hook, receiver, work):
    place, _ = hook(types="transaction.*")
    receiver.answers = [
        OutboundAnswer(500, b"later", ""),
        OutboundAnswer(302, b"", ""),
        OutboundFailedError("It is away."),
    ] * 4
    confirm(ada, line)
    for _ in range(12):
        work()
    assert len(receiver.got) == 1 + len(webhooks.PAUSES) == 10
    assert (len(set(receiver.ids)), len({body for _, body in receiver.got})) == (1, 1)
    delivery = row(bank, WebhookDelivery)
    assert (delivery.state, delivery.attempts) == ("FAILED", 10)
    page = ada.browser().get(place).text
    assert ("given up" in page, receiver.ids[0] in page, "later" in page) == (True, True, True)


def test_the_pauses_are_those_of_the_standard_and_a_longer_wish_is_obeyed(
    ada, bank, line, hook, receiver, work
):
    hook(types="transaction.*")
    receiver.answers = [
        OutboundAnswer(503, b"", ""),
        OutboundAnswer(429, b"", "7200"),
        OutboundAnswer(503, b"", "99999999"),
        OutboundAnswer(503, b"", format_datetime(datetime.now(UTC) + timedelta(hours=10), usegmt=True)),
        OutboundAnswer(503, b"", "in a while"),
    ]
    confirm(ada, line)
    for least, most in ((5, 6), (7200, 7920), (86400, 95040), (35900, 39600), (18000, 19800)):
        before = datetime.now(UTC)
        work(later=False)
        at = bank.ask(lambda: db.session.scalar(sa.select(Job.run_at).where(Job.state == "WAITING")))
        assert least <= (at - before).total_seconds() <= most + 2
        bank.ask(lambda at=before: db.session.execute(sa.update(Job).values(run_at=at)))


def test_a_new_secret_signs_beside_the_one_before_for_a_day(ada, bank, line, hook, receiver, work):
    place, before = hook(types="transaction.*")
    confirm(ada, line)
    page = ada.browser().post(f"{place}/rotate")
    after = re.search(r'<code id="new-secret">(whsec_[^<]+)', page.text)[1]
    work()
    headers, body = receiver.got[0]
    assert [Webhook(each).verify(body, headers)["type"] for each in (before, after)] == [
        "transaction.executed"
    ] * 2
    bank.ask(
        lambda: db.session.execute(
            sa.update(WebhookEndpoint).values(rotated_at=datetime.now(UTC) - timedelta(hours=25))
        )
    )
    ada.browser().post(f"/settings/webhooks/deliveries/{row(bank, WebhookDelivery).id}/again")
    work()
    headers, body = receiver.got[1]
    assert Webhook(after).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(before).verify(body, headers)


def test_sent_again_it_has_an_id_of_its_own_and_the_same_body(ada, bank, line, hook, receiver, work):
    hook(types="transaction.*")
    confirm(ada, line)
    work()
    again = ada.browser().post(f"/settings/webhooks/deliveries/{row(bank, WebhookDelivery).id}/again")
    assert again.status_code == 303
    work()
    (first, body), (second, same) = receiver.got
    assert (body == same, first["webhook-id"] != second["webhook-id"]) == (True, True)
    assert row(bank, WebhookDelivery).replays == second["tieout-replays"] == first["webhook-id"]
    assert "tieout-replays" not in first


def test_five_days_of_failure_pause_it_and_nothing_is_lost(ada, bank, line, hook, receiver, work):
    place, _ = hook(types="transaction.*")
    receiver.answers = [OutboundAnswer(500, b"", "")]
    confirm(ada, line)
    work()
    assert "Failing since" in ada.browser().get(place).text
    over = datetime.now(UTC) - webhooks.PAUSED_AFTER
    bank.ask(lambda: db.session.execute(sa.update(WebhookEndpoint).values(failing_since=over)))
    receiver.answers = [OutboundAnswer(500, b"", "")]
    work()
    assert row(bank, WebhookEndpoint).status == "PAUSED"
    assert "1 thing that Tieout does by itself failed" in ada.browser().get("/").text
    assert "A webhook is paused" in ada.browser().get("/settings/automatic").text
    confirm(ada, bank.send("2026-03-02", "-1.00"))
    work()
    assert len(receiver.got) == 2
    assert ada.browser().post(f"{place}/switch", data={"isOn": "true"}).status_code == 303
    endpoint = row(bank, WebhookEndpoint)
    assert (endpoint.status, endpoint.failing_since) == ("ACTIVE", None)
    work()
    assert len(set(receiver.ids)) == 2


@pytest.mark.parametrize("answer", [OutboundAnswer(410, b"", ""), OutboundAnswer(500, b"", "")])
def test_a_late_answer_neither_pauses_nor_ends_what_was_just_let_go_on(
    ada, bank, line, hook, receiver, work, monkeypatch, answer
):
    hook(types="transaction.*")
    confirm(ada, line)
    sent = receiver.answer

    def ask(*words):
        old = datetime.now(UTC) - webhooks.PAUSED_AFTER
        later = datetime.now(UTC) + timedelta(seconds=1)
        bank.ask(
            lambda: db.session.execute(sa.update(WebhookEndpoint).values(failing_since=old, enabled_at=later))
        )
        return sent(*words)

    monkeypatch.setattr(receiver, "answer", ask)
    receiver.answers = [answer]
    work()
    assert row(bank, WebhookEndpoint).status == "ACTIVE"


def test_gone_ends_it_and_its_secrets(ada, bank, line, hook, receiver, work):
    place, _ = hook(types="transaction.*")
    receiver.answers = [OutboundAnswer(410, b"", "")]
    confirm(ada, line)
    work()
    assert (row(bank, WebhookEndpoint).status, row(bank, WebhookDelivery).state) == ("ENDED", "FAILED")
    assert bank.ask(lambda: db.session.scalars(sa.select(Secret)).all()) == []
    assert "This webhook has ended" in ada.browser().post(f"{place}/rotate").text


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "ftp://x.example",
        "x",
    ],
)
def test_only_addresses_that_are_called_are_taken(ada, bank, url):
    page = ada.browser().post("/settings/webhooks", data={"url": url, "types": "*", "view": "THIN"})
    assert (page.status_code, "This server does not call that address" in page.text) == (422, True)
    assert row(bank, WebhookEndpoint) is None


def test_its_secret_is_sealed_and_in_no_trail(ada, bank, line, hook, receiver, work):
    _, secret = hook()
    work()
    kept = bank.ask(lambda: [each.ciphertext for each in db.session.scalars(sa.select(Secret))])
    assert all(secret.encode() not in each for each in kept)
    trail = ada.get("/api/events?include=body&limit=200").text
    assert (secret in trail, "create_webhook" in trail) == (False, True)
    assert secret not in "".join(body.decode() for _, body in receiver.got)


def test_no_endpoint_has_no_row(ada, bank, line, receiver, work):
    confirm(ada, line)
    work()
    assert (row(bank, WebhookDelivery), receiver.got) == (None, [])


def test_what_it_is_told_of_is_chosen_from_a_list(ada, hook):
    place, _ = hook(types=["*.pending", "rule.*,rule_run.*,suggestion.*", "transaction.executed"])
    page = ada.browser().get(place).text
    chosen = re.findall(r'value="([^"]+)" checked', page)
    assert chosen == ["*.pending", "rule.*,rule_run.*,suggestion.*", "transaction.executed"]
    assert (
        "What waits for a decision, Rules, transaction.executed"
        in ada.browser().get("/settings/webhooks").text
    )
    refused = ada.browser().post("/settings/webhooks", data={"url": URL, "view": "THIN"})
    assert (refused.status_code, "Choose at least one." in refused.text) == (422, True)
