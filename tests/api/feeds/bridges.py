"""A bridge of SimpleFIN on this machine: it speaks the protocol over HTTPS, and misbehaves where a test says so."""

import json
import ssl
import subprocess
import threading
import time
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

HOST = "bridge.example"
SECRET = "ada:pa55word-of-the-bridge"


def seconds(day):
    """Give noon of a day, as the protocol writes instants."""
    return int(datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC).timestamp())


def account(
    external_id, lines=(), *, name="Checking 4711", balance="0.00", as_of="2026-11-20", currency="EUR"
):
    """Write an account; a line is an id, a day (None while it is pending), an amount and a text."""
    return {
        "org": {"name": "Example Bank", "domain": "bank.example"},
        "id": external_id,
        "name": name,
        "currency": currency,
        "balance": balance,
        "balance-date": seconds(as_of),
        "transactions": [
            {"id": uid, "posted": seconds(day) if day else 0, "amount": amount, "description": text}
            | ({} if day else {"pending": True, "transacted_at": seconds(as_of)})
            for uid, day, amount, text in lines
        ],
    }


@dataclass
class Bridge:
    """What the bridge answers, and what it was asked."""

    port: int = 0
    accounts: list = field(default_factory=list)
    errors: list = field(default_factory=list)
    errlist: list = field(default_factory=list)
    tokens: set = field(default_factory=set)
    status: int = 200
    fault: str = ""
    asked: list = field(default_factory=list)

    def token(self, name="t1"):
        """Make a setup token that can be claimed once."""
        self.tokens.add(name)
        return b64encode(f"https://{HOST}:{self.port}/claim/{name}".encode()).decode()

    def answer(self, query):
        """Answer the accounts with the lines of the window that is asked for."""
        if query.get("balances-only") == ["1"]:
            shown = [{**each, "transactions": []} for each in self.accounts]
        else:
            first, end = (int(query[name][0]) for name in ("start-date", "end-date"))
            assert end - first <= 90 * 86400
            shown = [
                {
                    **each,
                    "transactions": [
                        line
                        for line in each["transactions"]
                        if line.get("pending") or first <= line["posted"] < end
                    ],
                }
                for each in self.accounts
            ]
        found = {"errors": self.errors, "accounts": shown}
        return {**found, **({"errlist": self.errlist} if self.errlist else {})}


class Handler(BaseHTTPRequestHandler):
    """The two calls of the protocol."""

    def do_POST(self):
        name = self.path.rpartition("/")[2]
        bridge = self.server.bridge
        bridge.asked.append("claim")
        if name not in bridge.tokens:
            self.reply(403, b"Forbidden")
            return
        bridge.tokens.discard(name)
        self.reply(200, f"https://{SECRET}@{HOST}:{bridge.port}/simplefin".encode())

    def do_GET(self):
        bridge, parts = self.server.bridge, urlsplit(self.path)
        bridge.asked.append(parse_qs(parts.query))
        given = b64decode(self.headers.get("Authorization", "Basic ").split()[1]).decode()
        if bridge.status != 200:
            self.reply(bridge.status, b"{}")
        elif given != SECRET:
            self.reply(403, b"{}")
        else:
            data = json.dumps(bridge.answer(bridge.asked[-1])).encode()
            if bridge.fault == "slow":
                time.sleep(1.2)
            self.reply(200, data[: len(data) // 2] if bridge.fault == "half" else data)

    def reply(self, status, data):
        self.send_response(status)
        is_short = getattr(self.server.bridge, "fault", "") == "short"
        self.send_header("Content-Length", str(len(data) + (9 if is_short else 0)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def serve(folder, host=HOST, provider=Bridge, handler=Handler):
    """Serve a provider; answers it, the certificate to trust, and what ends it."""
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={host}"]
    words += ["-addext", f"subjectAltName=DNS:{host}", "-keyout", "key", "-out", "certificate"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)  # noqa: S603  (our own words)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate", folder / "key")
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.bridge = provider(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()

    def end():
        server.shutdown()
        thread.join()
        server.server_close()

    return server.bridge, folder / "certificate", end
