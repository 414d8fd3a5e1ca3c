"""/metrics: who may read it, and what all processes of a server count together."""

import base64
import contextlib
import os
import re
import signal
import time
import urllib.request
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.concurrency.crowds import Client
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.servers import PATIENCE_SECONDS, Server
from tests.tree import ROOT
from webapp.database.measures import IN_MEMORY
from webapp.services.operating import jobs

TOKEN = "a token of sixteen and more"
LINE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
NAME = re.compile(r"\btieout_\w+")


@on_sqlite
@pytest.mark.parametrize(
    ("settings", "peer", "headers", "status"),
    [
        ({}, "127.0.0.1", {}, 404),
        ({}, "127.0.0.1", {"Authorization": "Bearer "}, 404),
        ({"metrics": "loopback"}, "127.0.0.1", {}, 200),
        ({"metrics": "loopback"}, "::1", {}, 200),
        ({"metrics": "loopback"}, "10.0.0.8", {}, 404),
        ({"metrics": "loopback"}, "127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 404),
        ({"metrics": "loopback"}, "127.0.0.1", {"Forwarded": "for=127.0.0.1"}, 404),
        ({"metrics": "loopback"}, "127.0.0.1", {"X-Real-IP": "127.0.0.1"}, 404),
        ({"metrics": "loopback"}, "127.0.0.1", {"X-Forwarded-Proto": "https"}, 404),
        ({"metrics_token": TOKEN}, "127.0.0.1", {}, 404),
        ({"metrics_token": TOKEN}, "10.0.0.8", {"Authorization": f"Bearer {TOKEN}"}, 200),
        ({"metrics_token": TOKEN}, "10.0.0.8", {"Authorization": f"Bearer {TOKEN}s"}, 404),
        ({"metrics_token": TOKEN}, "10.0.0.8", {"Authorization": f"Basic {TOKEN}"}, 404),
    ],
    ids=str,
)
def test_metrics_are_for_this_machine_or_for_the_token(
    app, ada, monkeypatch, settings, peer, headers, status
):
    monkeypatch.setitem(app.config, "SETTINGS", replace(app.config["SETTINGS"], **settings))
    headers = {"Authorization": f"Bearer {ada.token}"} | headers if not settings else headers
    answer = app.test_client().get("/metrics", headers=headers, environ_base={"REMOTE_ADDR": peer})
    assert answer.status_code == status
    assert (b"tieout_" in answer.data) == (status == 200)


@pytest.fixture
def measured(house):
    """A server with two workers, which measures."""
    house.leave()
    server = Server(house, 2, METRICS="loopback")
    yield server
    if server.process.returncode is None:
        server.kill()


class Scrape(dict):
    """What a server says at one moment: the value of each series by its name and its labels."""

    def __init__(self, address: str) -> None:
        with urllib.request.urlopen(f"{address}/metrics", timeout=PATIENCE_SECONDS) as answer:  # noqa: S310
            self.text = answer.read().decode()
        found = [LINE.match(line) for line in self.text.splitlines() if not line.startswith("#")]
        super().__init__({(each[1], each[2] or ""): float(each[3]) for each in found})

    def of(self, name: str, **labels: str) -> float:
        wanted = {f'{key}="{value}"' for key, value in labels.items()}
        return sum(
            value
            for (found, inside), value in self.items()
            if found == name and wanted <= set(inside.split(","))
        )


def test_all_workers_count_what_was_done_and_nobodys_names(measured, session, ada, bank, desk):
    jobs.want(ada.organization_id, "CHECK", "test", at=datetime.now(UTC), now=datetime.now(UTC))
    session.execute(sa.update(jobs.JOBS).values(state="FAILED"))
    session.commit()
    first, second = bank.send_many([("2026-10-02", "900.00", "Northwind"), ("2026-10-03", "-50.00", "Rent")])
    desk.confirm(first, second)
    desk.prove()
    entry = desk.line(second)["journalEntryId"]
    desk.void(entry)
    third = bank.send("2026-10-05", "-5.00", "Coffee")
    confirm = f"/api/transactions/{third}/confirm"
    content = base64.b64encode(bank_file(Line("2026-11-02", "3.00"), Line("2026-11-03", "4.00")))
    statuses = []
    # Each on a connection of its own, so that both workers have some.
    for path, body in (
        (f"{confirm}?dryRun=true", {}),
        (confirm, {}),
        (f"/api/journal-entries/{entry}/void", {"reason": "Again"}),
        ("/api/feeds/imports", {"fileName": "a.ofx", "content": content.decode(), "faId": bank.fa_id}),
        *[("/api/nowhere", {})] * 3,
    ):
        with contextlib.closing(Client(measured.address, ada.token)) as client:
            statuses.append(client.post(path, body).status)
    assert statuses == [200, 200, 409, 201, 404, 404, 404]
    scrape = Scrape(measured.address)
    route = "/api/transactions/<id:transaction_id>/confirm"
    assert scrape.of("tieout_requests_total", route=route, status="200") == 2
    assert scrape.of("tieout_requests_total", method="POST", status="409") == 1
    assert scrape.of("tieout_requests_total", route="other", status="404") == 3
    assert scrape.of("tieout_request_seconds_count", route=route, method="POST") == 2
    assert scrape.of("tieout_acts_total", kind="confirm_transaction", status="EXECUTED") == 1
    assert scrape.of("tieout_acts_total", status="FAILED") == 1
    assert scrape.of("tieout_lines_ingested_total") == 2
    assert scrape.of("tieout_broken_proofs") == 1
    assert scrape.of("tieout_failed_jobs") == 1
    assert scrape.of("tieout_writer_wait_seconds_count") >= 3
    # The one that asks for the counts of all books.
    assert scrape.of("tieout_database_connections") == 1
    assert scrape.of("tieout_database_connections_limit") == 2 * 2 * 9
    alerts = (ROOT / "docs" / "operating" / "operate.md").read_text(encoding="utf-8")
    assert len(re.findall(r"- alert: ", alerts)) == 6
    assert set(NAME.findall(alerts[alerts.index("groups:") :])) <= {name for name, _ in scrape}
    for name in (ada.organization_id, ada.name, ada.email, "Northwind", "Main account", "nowhere"):
        assert name not in scrape.text


def test_a_dead_worker_leaves_its_counts_and_no_connection(measured):
    folder = folder_of(measured)
    assert folder.parent == Path(IN_MEMORY)
    before = Scrape(measured.address).of("tieout_requests_total", route="/readyz")
    measured.renew()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (after := Scrape(measured.address)).of("tieout_database_connections") > 1:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert after.of("tieout_requests_total", route="/readyz") > before > 0
    os.kill(measured.process.pid, signal.SIGTERM)
    measured.process.wait(PATIENCE_SECONDS)
    assert not folder.exists()


def folder_of(server: Server) -> Path:
    """Find the folder into which the workers of a server write."""
    maps = Path(f"/proc/{server.worker_pids()[0]}/maps").read_text()
    return Path(re.search(r"/\S+\.db$", maps, re.MULTILINE)[0]).parent
