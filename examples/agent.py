"""An agent that reads and proposes: from an empty organization to a proof, while a person approves each step.

    TIEOUT_URL=http://127.0.0.1:8000 TIEOUT_TOKEN=tie_… python examples/agent.py STATEMENT_FILE STATEMENT_DATE BALANCE

It needs a key with the scopes `read` and `propose`, and nothing but Python. Every write that it asks for waits under
Proposals, with all that it would change; the agent goes on when somebody has approved it, and stops when one says no.
What bank lines say is never an instruction to it: it only shows their text, quoted, to the person who approves.
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

PATIENCE_SECONDS = 600
PAUSE_SECONDS = 0.3
# As many lines as one call changes.
MOST_CHANGES = 50


class RefusedError(Exception):
    """The service or a person said no; the message says why."""


class Books:
    """The service, as a key with `read` and `propose` meets it."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address, token

    def get(self, path: str) -> dict[str, Any]:
        """Read something."""
        return self._ask("GET", path)[1]

    def write(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Ask for a write, wait until it is done, and give what it was answered."""
        data = None if body is None else json.dumps(body).encode()
        return self._settled(*self._ask(method, path, data, "application/json"))

    def upload(self, path: str, file: Path) -> dict[str, Any]:
        """Ask for an import of a file, and wait."""
        border = uuid.uuid4().hex
        head = (
            f"--{border}\r\nContent-Disposition: form-data; "
            f'name="file"; filename="{file.name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        )
        data = head.encode() + file.read_bytes() + f"\r\n--{border}--\r\n".encode()
        return self._settled(*self._ask("POST", path, data, f"multipart/form-data; boundary={border}"))

    def _ask(
        self, method: str, path: str, data: bytes | None = None, kind: str = ""
    ) -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self._token}"}
        if data is not None:
            headers["Content-Type"] = kind
        if method != "GET":
            # Sent again after a lost connection, it is the same request, and is done once.
            headers["Idempotency-Key"] = str(uuid.uuid4())
        request = urllib.request.Request(  # noqa: S310  (the address is the operator's own)
            f"{self._address}/api{path}", data, headers, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            raise RefusedError(json.load(refusal)["error"]) from refusal

    def _settled(self, status: int, answer: dict[str, Any]) -> dict[str, Any]:
        """Wait until a person has decided on what was proposed."""
        if status != 202:  # noqa: PLR2004  (done at once, or already as it shall be)
            return answer
        request = answer["actionRequest"]
        say(f"proposed: {quoted(request['title'])}")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (request["status"] == "PENDING" or request["replacedBy"]) and time.monotonic() < deadline:
            time.sleep(PAUSE_SECONDS)
            # Asked for again in books that have changed, a call waits as a new proposal.
            request = self.get(f"/action-requests/{request['replacedBy'] or request['id']}")["actionRequest"]
        if request["status"] != "EXECUTED":
            raise RefusedError(
                f"{request['title']}: {request['status']} {request['reason'] or request['error']}"
            )
        told: dict[str, Any] = request["answer"]["answer"]
        return told


def reconcile(books: Books, file: Path, statement_date: str, balance: str) -> dict[str, Any]:
    """Take a bank's file to a proof."""
    (account,) = books.upload("/feeds/imports", file)["import"]["accounts"]
    fa_id = account["faId"]
    drafts = books.get(
        f"/transactions?faId={fa_id}&entryStatus=DRAFT&limit=200&include=likely"
        "&fields=id,description,amount,likelyPayment"
    )
    lines = drafts["transactions"]
    for line in lines:
        # Whatever stands there, it is somebody else's text: shown in quotes, and never acted on.
        say(f"line {line['id']}: {line['amount']} {quoted(line['description'])}")
    pay(books, lines)
    books.write(
        "POST",
        "/transactions/confirm",
        {"ids": [line["id"] for line in lines], "note": f"Lines of {file.name}"},
    )
    here = f"/reconciliations/accounts/{fa_id}"
    books.write("PUT", f"{here}/draft", {"statementDate": statement_date, "statementBalance": balance})
    books.write("PUT", f"{here}/draft/lines", {"auto": True})
    proof: dict[str, Any] = books.write("POST", f"{here}/complete", {})["reconciliation"]
    return proof


def pay(books: Books, lines: list[dict[str, Any]]) -> None:
    """Let lines pay the open items that they surely pay; raises RefusedError where a person has to tell which."""
    paying = [line for line in lines if line["likelyPayment"]]
    unsure = [line for line in paying if not line["likelyPayment"]["parts"]]
    if unsure:
        reasons = "; ".join(
            f"line {line['id']}: {quoted(line['likelyPayment']['reason'])}" for line in unsure
        )
        raise RefusedError(f"a person has to tell what these pay: {reasons}")
    changes = [
        {
            "id": line["id"],
            "settles": [
                {"itemId": part["itemId"], "amount": part["amount"]}
                for part in line["likelyPayment"]["parts"]
            ],
        }
        for line in paying
    ]
    for first in range(0, len(changes), MOST_CHANGES):
        books.write("PATCH", "/transactions", {"changes": changes[first : first + MOST_CHANGES]})


def quoted(text: str) -> str:
    """Write somebody else's text so that it cannot be taken for ours."""
    return json.dumps(text, ensure_ascii=False)


def say(sentence: str) -> None:
    """Tell whoever watches what happens."""
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def main() -> int:
    """Do it for the file that the command names."""
    file, statement_date, balance = sys.argv[1:]
    books = Books(os.environ["TIEOUT_URL"].rstrip("/"), os.environ["TIEOUT_TOKEN"])
    try:
        proof = reconcile(books, Path(file), statement_date, balance)
    except RefusedError as refusal:
        say(f"stopped: {refusal}")
        return 1
    say(f"proved: {proof['statementBalance']} on {proof['statementDate']}, digest {proof['digest']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
