"""Enable Banking on this machine: what its reference says, over HTTPS, and misbehaviour where a test says so.

https://enablebanking.com/docs/api/reference/
"""

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from tests.api.feeds import bridges

HOST = "api.enablebanking.example"
BANK = "Nordic Test Bank"
APPLICATION = "cf589be3-3755-465b-a8df-a90a16a31403"
KEY = RSAKey.generate_key(2048)
PAGE = 3
HALF_YEAR = 180 * 86400


def line(uid, day, amount, text, **more):
    """Write a line with all fields of the corpus; a line without a day is pending, a negative amount a debit."""
    side, is_debit = ("creditor", True) if amount.startswith("-") else ("debtor", False)
    facts = {
        "entry_reference": uid,
        "merchant_category_code": None,
        "transaction_amount": {"currency": "EUR", "amount": amount.removeprefix("-")},
        "creditor": None,
        "creditor_account": None,
        "debtor": None,
        "debtor_account": None,
        "bank_transaction_code": {"description": "Transfer", "code": "12", "sub_code": "32"},
        "credit_debit_indicator": "DBIT" if is_debit else "CRDT",
        "status": "BOOK" if day else "PDNG",
        "booking_date": day,
        "value_date": day,
        "transaction_date": day or str(datetime.now(UTC).date()),
        "balance_after_transaction": None,
        "reference_number": None,
        "remittance_information": [text],
        "exchange_rate": None,
        "note": None,
        "transaction_id": None,
    }
    return {**facts, side: {"name": text}, **more}


def account(uid, lines=(), *, name="Giro", iban=None, currency="EUR", balance="0.00", as_of=None, **more):
    """Describe an account of the bank, whose uid differs in each session."""
    facts = {"uid": uid, "name": name, "iban": iban, "currency": currency, "lines": list(lines)}
    return {**facts, "balance": balance, "as_of": as_of or str(datetime.now(UTC).date()), **more}


@dataclass
class Bank:
    """What the bank has, what it was asked, and how it misbehaves.

    `faults` has, by the uid of an account or `*`, what is answered to its calls, one by one: a status and an error;
    True in place of the error lets a call through. `least` is the first day that the bank gives, and `states_least`
    whether it says so.
    """

    port: int = 0
    accounts: list = field(default_factory=list)
    asked: list = field(default_factory=list)
    faults: dict = field(default_factory=dict)
    codes: set = field(default_factory=set)
    sessions: dict = field(default_factory=dict)
    consents: list = field(default_factory=list)
    least: date | None = None
    states_least: bool = True
    half: bool = False
    longest: int = HALF_YEAR
    redirects: tuple = ("https://registered.example/",)

    def consent(self):
        """Let the person agree at the bank; answers the query with which the browser goes back."""
        asked = self.consents[-1]
        code = f"code-{len(self.consents)}"
        self.codes.add(code)
        return {"code": code, "state": asked["state"]}

    def end_sessions(self):
        """End all consents before their time."""
        self.sessions = dict.fromkeys(self.sessions, "EXPIRED")

    def answer(self, method, path, query, body):
        """Answer a call: a status and a body."""
        if path == "/application":
            return 200, {"name": "Tieout", "kid": APPLICATION, "redirect_urls": list(self.redirects)}
        if path == "/aspsps":
            of_country = query["country"] == ["FI"]
            found = {
                "name": BANK,
                "country": "FI",
                "psu_types": ["personal", "business"],
                "maximum_consent_validity": self.longest,
            }
            return 200, {"aspsps": [found] if of_country else []}
        if (method, path) == ("POST", "/auth"):
            return self.begin(body)
        if (method, path) == ("POST", "/sessions"):
            return self.open(body)
        return self.show(path.split("/")[2], path.split("/")[3], query)

    def begin(self, body):
        until = datetime.fromisoformat(body["access"]["valid_until"])
        if (until - datetime.now(UTC)).total_seconds() > self.longest:
            return refused(422, "WRONG_REQUEST_PARAMETERS", "ASPSP does not support consent validity more")
        self.consents.append(body)
        address = f"https://bank.example/consent?id={len(self.consents)}"
        return 200, {"url": address, "authorization_id": "a1", "psu_id_hash": "h"}

    def open(self, body):
        if body["code"] not in self.codes:
            return refused(422, "WRONG_AUTHORIZATION_CODE", "Wrong authorization code provided")
        self.codes.discard(body["code"])
        name = f"session-{len(self.sessions)}"
        self.sessions[name] = "AUTHORIZED"
        shown = [
            {
                "uid": f"{name}.{each['uid']}",
                "account_id": {"iban": each["iban"], "other": None},
                "name": "Ada",
                "details": each["name"],
                "cash_account_type": "CACC",
                "currency": each["currency"],
                "identification_hash": each.get("hash", f"hash-{each['uid']}"),
                "identification_hashes": [],
            }
            for each in self.accounts
        ]
        access = {"valid_until": self.consents[-1]["access"]["valid_until"]}
        aspsp = {"name": BANK, "country": "FI"}
        return 200, {"session_id": name, "accounts": shown, "aspsp": aspsp, "access": access}

    def show(self, uid, what, query):
        session, _, name = uid.partition(".")
        if self.sessions.get(session) != "AUTHORIZED":
            return refused(401, "EXPIRED_SESSION", "Session is expired")
        for of in (f"{name}/{what}", name, "*"):
            if self.faults.get(of):
                status, error = self.faults[of].pop(0)
                if error is not True:
                    return (
                        error if isinstance(error, tuple) else refused(status, error, "The bank misbehaves")
                    )
                break
        found = next((each for each in self.accounts if each["uid"] == name), None)
        if found is None:
            return refused(404, "ACCOUNT_DOES_NOT_EXIST", "No account found")
        if what == "balances":
            amount = {"currency": found["currency"], "amount": found["balance"]}
            balance = {"name": "Booked", "balance_amount": amount, "balance_type": "ITBD"}
            return 200, {"balances": [{**balance, "reference_date": found["as_of"]}]}
        return self.page(found, query)

    def page(self, found, query):
        first = date.fromisoformat(query["date_from"][0])
        if first > datetime.now(UTC).date():
            return refused(422, "DATE_FROM_IN_FUTURE", "date_from is in future")
        if self.least and first < self.least:
            detail = {"message": "Requested time period out of bound."}
            if self.states_least:
                detail["date_from"] = str(self.least)
            return refused(422, "WRONG_TRANSACTIONS_PERIOD", "Wrong transactions period requested", detail)
        # A key is valid with the parameters of the first page only.
        given = query.get("continuation_key", [f"0:{first}"])[0]
        at, _, of = given.partition(":")
        if of != str(first):
            return refused(422, "WRONG_REQUEST_PARAMETERS", "dateFrom is not the same as in continuationKey")
        seen = [each for each in found["lines"] if (each["booking_date"] or "9999") >= str(first)]
        end = int(at) + PAGE
        key = f"{end}:{first}" if end < len(seen) else None
        return 200, {"transactions": seen[int(at) : end], "continuation_key": key}


def refused(status, error, message, detail=None):
    """Write a refusal as Enable Banking does."""
    return status, {"code": status, "message": message, "error": error, "detail": detail}


class Handler(BaseHTTPRequestHandler):
    """The calls of Enable Banking, each with a token that is signed by the application."""

    reply, log_message = bridges.Handler.reply, bridges.Handler.log_message

    def do_POST(self):
        self.take("POST")

    def do_GET(self):
        self.take("GET")

    def take(self, method):
        bank, parts = self.server.bridge, urlsplit(self.path)
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or b"{}")
        bank.asked.append(f"{method} {parts.path}")
        status, found = 401, {"code": 401, "message": "Invalid token", "error": "UNAUTHORIZED_ACCESS"}
        if is_signed(self.headers.get("Authorization", "").removeprefix("Bearer ")):
            status, found = bank.answer(method, parts.path, parse_qs(parts.query), body)
        data = json.dumps(found).encode()
        half = bank.half and parts.path.endswith("/transactions")
        self.reply(status, data[: len(data) // 2] if half else data)


def is_signed(token):
    """Check a token as the reference says: RS256, whose application, for whom, and for at most a day."""
    try:
        found = jwt.decode(token, KEY, algorithms=["RS256"])
    except (JoseError, ValueError):
        return False
    claims, now = found.claims, datetime.now(UTC).timestamp()
    named = (found.header["typ"], found.header["kid"], claims["iss"], claims["aud"])
    is_ours = named == ("JWT", APPLICATION, "enablebanking.com", "api.enablebanking.com")
    return is_ours and claims["iat"] <= now < claims["exp"] <= claims["iat"] + 86400
