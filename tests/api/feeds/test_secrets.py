"""What opens a bank connection is in nothing that is written: not in rows, files, logs, exports, answers or pages."""

import gzip
import io
import logging
import zipfile
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.api.feeds import bridges, providers
from tests.api.feeds.test_bank_connections import BANKS, CONNECTIONS, ago, only, shown
from tests.api.feeds.test_consents import LINES, NEW, come_back, consent
from webapp.database.sessions import begin_read, begin_write, db
from webapp.models import BankConnection
from webapp.models.base import Base
from webapp.services.banks import syncs
from webapp.services.operating import outbound, webhooks
from webapp.services.operating.outbound import Gate

pytestmark = pytest.mark.operates
API = (CONNECTIONS, "/api/feeds/imports", "/api/action-requests", "/api/events", "/api/accounts")
PAGES = ("/", BANKS, "/settings/automatic", "/settings/webhooks", "/activity", "/accounts")
GZIP = b"\x1f\x8b"


def unpacked(data):
    """Give bytes as they were before they were packed."""
    if data.startswith(GZIP):
        return gzip.decompress(data)
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return b"\n".join(unpacked(archive.read(name)) for name in archive.namelist())
    return data


@pytest.fixture
def written(app, ada, command, house, caplog, capfd, tmp_path):
    """Read all that was written since the test began, by where it was."""
    caplog.set_level(logging.DEBUG)
    said = []

    def rows():
        with app.app_context():
            begin_read()
            found = [
                unpacked(bytes(value)) if isinstance(value, bytes | memoryview) else str(value).encode()
                for table in Base.metadata.tables.values()
                for row in db.session.execute(sa.select(table))
                for value in row
            ]
            db.session.remove()
        return b"\n".join(found)

    def backup():
        file = tmp_path / f"{len(said)}.zip"
        said.append(command("backup", str(file)).output)
        return unpacked(file.read_bytes())

    def exports():
        kinds = ("beancount", "hledger", "csv")
        return "".join(
            command("export", kind, "--organization", ada.organization_id).output for kind in kinds
        )

    def logs():
        said.extend((caplog.text, *capfd.readouterr()))
        return "".join(said)

    def api():
        answers = [ada.get(path) for path in API]
        assert {each.status_code for each in answers} == {200}
        return "".join(each.text for each in answers)

    def pages():
        answers = [ada.browser().get(path) for path in PAGES]
        assert {each.status_code for each in answers} == {200}
        return "".join(each.text for each in answers)

    def files():
        return b"\n".join(unpacked(path.read_bytes()) for path in house.files())

    def metrics():
        settings = replace(app.config["SETTINGS"], metrics="loopback")
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(app.config, "SETTINGS", settings)
            answer = app.test_client().get("/metrics")
        assert answer.status_code == 200
        return answer.text

    places = (rows, backup, exports, api, pages, files, metrics, logs)

    def read():
        found = {each.__name__: each() for each in places}
        return {name: text if isinstance(text, bytes) else text.encode() for name, text in found.items()}

    return read


@pytest.fixture
def told(app, ada, monkeypatch):
    """Let a webhook be told of all that happens; its messages are rows, and go nowhere."""
    monkeypatch.setattr(outbound.Gate, "require", lambda *_: "hooks.example")
    with app.app_context():
        begin_write(ada.organization_id)
        gate, now = Gate(is_open=True), datetime.now(UTC)
        webhooks.create("https://hooks.example/", ["*"], "FULL", gate, actor=ada.actor, now=now)
        db.session.commit()
        db.session.remove()


def break_down(*_words, **_more):
    raise RuntimeError("The reader breaks down.")


def fail(person, place, work, monkeypatch):
    """Let a sync break down, so that the log has its traceback."""
    with monkeypatch.context() as patch:
        patch.setattr(syncs, "body_of", break_down)
        person.patch(
            place, json={"accounts": [{"externalId": only(person)["externalId"], "fetchFrom": ago(20)}]}
        )
        work()


def lived_at_simplefin(ada, bridge, work, monkeypatch):
    """Connect, sync, fail in each way and renew; answers the secrets and what people were answered."""
    bridge.accounts = [bridges.account("A1", [("t1", ago(3), "-45.20", "Grocer")], as_of=ago(0))]
    tokens = [bridge.token(f"secret-token-{number}") for number in range(4)]
    new = {"provider": "simplefin", "name": "Our bank", "setupToken": tokens[0]}
    agent = ada.with_scopes("read", "propose")
    answers = [agent.post(CONNECTIONS, json=new), ada.post(f"{CONNECTIONS}?dryRun=true", json=new)]
    answers += [ada.browser().post(BANKS, data={**new, "name": ""}), ada.post(CONNECTIONS, json=new)]
    work()
    place = f"{CONNECTIONS}/{shown(ada)['id']}"
    ada.patch(place, json={"accounts": [{"externalId": "A1", "opens": True, "fetchFrom": ago(30)}]})
    work()
    fail(ada, place, work, monkeypatch)
    for status in (500, 429, 403):
        bridge.status = status
        answers.append(ada.post(f"{place}/sync"))
        work()
    bridge.status = 200
    bridge.tokens.discard("secret-token-1")
    for token in tokens[1:3]:
        answers.append(agent.post(f"{place}/renew", json={"setupToken": token}))
        answers.append(ada.post(f"{place}/renew", json={"setupToken": token}))
        work()
    # One waits for the worker.
    answers.append(ada.post(f"{place}/renew", json={"setupToken": tokens[3]}))
    password = bridges.SECRET.partition(":")[2]
    basic = b64encode(bridges.SECRET.encode()).decode()
    return [password, basic, "secret-token", *tokens], answers


def lived_at_enablebanking(ada, nordic, work, monkeypatch):
    """Consent, sync, fail in each way and renew; answers the secrets and what people were answered."""
    nordic.accounts = [providers.account("A1", LINES, iban="FI2112345600000785", balance="953.80")]
    answers = [ada.post(CONNECTIONS, json=NEW), consent(ada, nordic, work)]
    place = f"{CONNECTIONS}/{shown(ada)['id']}"
    choice = {"externalId": only(ada)["externalId"], "opens": True, "fetchFrom": ago(30)}
    ada.patch(place, json={"accounts": [choice]})
    work()
    fail(ada, place, work, monkeypatch)
    for status, error in ((500, "ASPSP_ERROR"), (429, "ASPSP_RATE_LIMIT_EXCEEDED"), (401, "EXPIRED_SESSION")):
        nordic.faults = {"*": [(status, error)] * 9}
        answers.append(ada.post(f"{place}/sync"))
        work()
    nordic.faults = {}
    answers.append(ada.post(f"{place}/renew", json={}))
    answers.append(come_back(ada, {**nordic.consent(), "state": "forged"}))
    answers.append(ada.post(f"{place}/renew", json={"code": "code-of-nobody"}))
    work()
    answers.append(consent(ada, nordic, work))
    ada.post(f"{place}/renew", json={})
    # One waits for the worker.
    answers.append(ada.post(f"{place}/renew", json={"code": nordic.consent()["code"]}))
    key = providers.KEY.as_pem(private=True).decode().splitlines()[1:-1]
    return [*key, *nordic.sessions, "code-1", "code-2", "code-3", "code-4", "code-of-nobody"], answers


@pytest.mark.parametrize(
    ("name", "living"),
    [("bridge", lived_at_simplefin), ("nordic", lived_at_enablebanking)],
    ids=["simplefin", "enablebanking"],
)
def test_what_opens_a_bank_connection_is_in_nothing_that_is_written(
    app, ada, work, written, told, request, monkeypatch, figure, name, living
):
    secrets, answers = living(ada, request.getfixturevalue(name), work, monkeypatch)

    def hits():
        found = written() | {"answers": "".join(each.text for each in answers).encode()}
        assert all(len(text) > 100 for place, text in found.items() if place != "files")
        return {place for place, text in found.items() if any(each.encode() in text for each in secrets)}

    assert hits() == set()
    figure("secrets", f"{name}: {len(secrets)} secrets, 0 hits")
    # Where one is written, it is found.
    with app.app_context():
        begin_write(ada.organization_id)
        db.session.execute(sa.update(BankConnection).values(error=secrets[0], error_at=datetime.now(UTC)))
        db.session.commit()
        db.session.remove()
    logging.getLogger("tieout").warning("%s", secrets[0])
    assert ada.post("/api/accounts", json={"name": secrets[0][:60], "type": "ASSET"}).status_code == 201
    secrets[0] = secrets[0][:60]
    assert hits() == {"rows", "backup", "exports", "api", "pages", "logs"}
