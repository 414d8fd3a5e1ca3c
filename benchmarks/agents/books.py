"""Books to play the tasks in: two months of a bank account, one of them proved, served while an agent works on them."""

from __future__ import annotations

import io
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.houses import House
from tests.fixtures.people import Person
from tests.fixtures.stores import SqliteFiles
from webapp.web.access.selections import REFUSED

ACCOUNT = "Current account"
# Whom the studio pays, and for what; each sent a bill in September, which was booked and proved.
PAYEES = {
    "Nimbus Hosting": "Server rent",
    "Layerboard": "Design software",
    "Stadtrad Taxi": "Trips",
    "Papierhof": "Paper and pens",
    "Elbe Stadtwerke": "Power",
    "Hafenpost": "Parcels",
    "Alster Coffee": "Guests",
}
SEPTEMBER = [Line(f"2026-09-{day:02}", "-9.00", payee, f"S{day}") for day, payee in enumerate(PAYEES, 1)]
PROVED = "-63.00"


class Quiet(WSGIRequestHandler):
    """Serves without a line for each request."""

    def log_request(self, *args: Any) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Stage:
    """Served books, and the person who owns them."""

    address: str
    owner: Person
    proof: int

    def approve(self, request_id: str) -> None:
        """Approve a proposal as its owner does: what is shown, signed in."""
        path = f"/api/action-requests/{request_id}"
        digest = self.owner.get(path).json["actionRequest"]["digest"]
        _done(self.owner.browser().post(f"{path}/approve", json={"digest": digest}))

    def import_file(self, *lines: Line) -> None:
        """Let the bank's lines come in beforehand."""
        _sent(self.owner, october(lines))

    def break_proof(self) -> None:
        """Void an entry of September's proof, as a script did in the audit."""
        lines = self.owner.get("/api/transactions?reconciled=true&fields=journalEntryId").json["transactions"]
        void = f"/api/journal-entries/{lines[0]['journalEntryId']}/void"
        _done(self.owner.post(void, json={"reason": "A slip"}))

    def must_hold(self) -> None:
        """End the task where the proof does not hold again."""
        proof = _done(self.owner.get(f"/api/reconciliations/{self.proof}"))["reconciliation"]
        must((proof["id"], proof["holds"]), (self.proof, True))


def october(lines: Any) -> bytes:
    """Write lines as the bank's file."""
    return bank_file(*lines, account="4711", closing_day="2026-10-31")


@contextmanager
def staged() -> Iterator[Stage]:
    """Make the books and serve them."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(SqliteFiles(Path(folder)), Path(folder))
        house.refresh()
        owner = replace(house.people["ada"], app=house.app)
        proof = _prove_september(owner)
        server = make_server("127.0.0.1", 0, house.app, threaded=True, request_handler=Quiet)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Stage(f"http://127.0.0.1:{server.port}", owner, proof)
        finally:
            server.shutdown()
            thread.join()
            house.leave()


def _prove_september(owner: Person) -> int:
    fa_id = _sent(owner, bank_file(*SEPTEMBER, account="4711", closing="-63.00"))["accounts"][0]["faId"]
    account = _done(owner.get("/api/feeds/accounts"))["feedAccounts"][0]["accountId"]
    _done(owner.patch(f"/api/accounts/{account}", json={"name": ACCOUNT}))
    accounts = {
        name: _done(owner.post("/api/accounts", json={"name": name, "type": "EXPENSE"}))["account"]["id"]
        for name in PAYEES.values()
    }
    lines = _done(owner.get("/api/transactions?fields=id,description"))["transactions"]
    changes = [{"id": each["id"], "accountId": accounts[PAYEES[each["description"]]]} for each in lines]
    _done(owner.patch("/api/transactions", json={"changes": changes}))
    _done(owner.post("/api/transactions/confirm", json={"ids": [each["id"] for each in lines]}))
    desk = f"/api/reconciliations/accounts/{fa_id}"
    _done(owner.put(f"{desk}/draft", json={"statementDate": "2026-09-30", "statementBalance": PROVED}))
    _done(owner.put(f"{desk}/draft/lines", json={"auto": True}))
    proof: int = _done(owner.post(f"{desk}/complete", json={}))["reconciliation"]["id"]
    return proof


def _sent(owner: Person, content: bytes) -> Any:
    form = {"file": (io.BytesIO(content), "bank.ofx")}
    return _done(owner.post("/api/feeds/imports", data=form, content_type="multipart/form-data"))["import"]


def _done(answer: Any) -> Any:
    if answer.status_code >= REFUSED:
        raise SystemExit(answer.text)
    return answer.json


def must(found: Any, wanted: Any) -> None:
    """End the task where it did not come to what it was for."""
    if found != wanted:
        raise SystemExit(f"{found} instead of {wanted}")
