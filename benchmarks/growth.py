"""Find what grows faster than its lines: nasty books, and the same with eight times as many lines (S10).

    python -m benchmarks.growth [--engine sqlite|postgresql] [--lines N] [--checkout DIR] [--only WORD]

All lines have one day, one amount and one text. So many are confirmed, so many are drafts on one account, and as many
on a second account are the other side of them. An eighth as many invoices and documents of that amount are of one
party. Every list, search, match, rule and report is asked for in both books, cold. Times are CPU milliseconds of the
server's processes and PostgreSQL's, the least of some rounds, so that other work on the machine hardly disturbs them.
`growth` is the power of the number of lines by which they grow: 0 where they do not, 1 where as the lines do. Ends
with 1 where one grows faster than n log n.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks import books as kept_books
from benchmarks import histories, servers
from benchmarks.client import Answer, Client, accepted
from benchmarks.figures import options_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

LINES, TIMES = 2_500, 8
ROUNDS: Final = 3
DAY, AMOUNT, TEXT = str(kept_books.FIRST), "12.05", "Card payment Shop"
# What the noise of a busy machine adds to a power, and what is too short to be told from what does not grow.
NOISE, LEAST_MILLISECONDS = 0.15, 20
CONFIRMED: Final = 100


@dataclass
class Nasty:
    """Nasty books that are served, who asks, and ids to ask for."""

    processor: servers.Processor
    api: Client
    pages: Client
    lines: int
    fa_id: int
    bank: int
    expense: int
    merchant: int
    document: int
    other: int
    drafts: Iterator[int]

    def get(self, path: str) -> Answer:
        """Ask the API."""
        return self.api.get(path)

    def post(self, path: str, body: object = None) -> Answer:
        """Send something to the API."""
        return self.api.json("POST", path, body)

    def page(self, path: str) -> Answer:
        """Open a page."""
        return self.pages.get(path)

    def draft(self) -> str:
        """Name a draft that no request has had yet."""
        return f"/api/transactions/{next(self.drafts)}"

    def partial(self) -> Answer:
        """Open a row of the account's page."""
        line = next(self.drafts)
        headers = {"HX-Request": "true", "HX-Target": f"tbody#line-{line}"}
        return self.pages.get(f"/feeds/{self.fa_id}?show=all&line={line}", headers)

    def rule(self) -> dict[str, Any]:
        """Write a rule that matches every line."""
        effects = [{"kind": "SET_ACCOUNT", "accountId": self.expense}]
        return {"name": "Shops", "conditions": {"conditions": [{"value": "shop"}]}, "effects": effects}


ASKED: Final[dict[str, Callable[[Nasty], Answer]]] = {
    "import of the same file": lambda n: _sent(n.api, n.lines, "one", "-"),
    "push of 100 lines": lambda n: n.post(*_pushed(n)),
    "hub": lambda n: n.get(servers.HUB),
    "hub as of a day": lambda n: n.get(f"{servers.HUB}?providerBalanceAsOf={DAY}"),
    "page: hub": lambda n: n.page("/"),
    "page: account": lambda n: n.page(f"/feeds/{n.fa_id}?show=all"),
    "page: account, statement": lambda n: n.page(f"/feeds/{n.fa_id}?show=statement"),
    "page: account, found by a word": lambda n: n.page(f"/feeds/{n.fa_id}?show=all&q=shop"),
    "page: a line": Nasty.partial,
    "list of lines": lambda n: n.get(f"/api/transactions?faId={n.fa_id}"),
    "list of lines, summed": lambda n: n.get("/api/transactions?sums=true"),
    "list of lines, found by a word": lambda n: n.get("/api/transactions?q=shop"),
    "list of lines, of no merchant's": lambda n: n.get(f"/api/transactions?orgMerchantId={n.merchant}"),
    "line": lambda n: n.get(n.draft()),
    "line, what it may pay": lambda n: n.get(f"{n.draft()}/payments"),
    "line, its documents": lambda n: n.get(f"{n.draft()}/documents"),
    "line, suggestions": lambda n: n.get(f"{n.draft()}/suggestions"),
    "edit": lambda n: n.api.json("PATCH", n.draft(), {"accountId": n.expense}),
    "confirm": lambda n: n.post(f"{n.draft()}/confirm"),
    "confirm 100": lambda n: n.post(
        "/api/transactions/confirm", {"ids": list(itertools.islice(n.drafts, CONFIRMED))}
    ),
    "transfers": lambda n: n.get("/api/transfers"),
    "page: transfers": lambda n: n.page("/transfers"),
    "open items of accounts": lambda n: n.get("/api/open-items"),
    "items": lambda n: n.get("/api/items"),
    "page: owed": lambda n: n.page("/owed"),
    "page: statement of a party": lambda n: n.page(f"/owed/statement?orgMerchantId={n.merchant}"),
    "documents": lambda n: n.get("/api/documents"),
    "documents, found by a word": lambda n: n.get("/api/documents?q=shop"),
    "page: documents": lambda n: n.page("/documents"),
    "document, what it may belong to": lambda n: n.get(f"/api/documents/{n.document}/candidates"),
    "merchants": lambda n: n.get("/api/merchants"),
    "page: merchant": lambda n: n.page(f"/merchants/{n.merchant}"),
    "suggested rules": lambda n: n.get("/api/automations/suggestions"),
    "rule preview": lambda n: n.post("/api/automations/rules/preview", n.rule()),
    "page: rules": lambda n: n.page("/rules"),
    "trial balance": lambda n: n.get("/api/reports/trial-balance"),
    "balance sheet": lambda n: n.get("/api/reports/balance-sheet"),
    "profit and loss": lambda n: n.get("/api/reports/profit-and-loss?from=2024-01-01&to=2025-12-31"),
    "general ledger": lambda n: n.get("/api/reports/general-ledger"),
    "aged receivables": lambda n: n.get("/api/reports/aged-receivables"),
    "expected cash": lambda n: n.get("/api/reports/expected-cash"),
    "party statement": lambda n: n.get(f"/api/reports/party-statement?orgMerchantId={n.merchant}"),
    "export of the general ledger": lambda n: n.get("/api/exports/report?report=general_ledger&format=csv"),
    "export as hledger": lambda n: n.get("/api/exports/hledger"),
    "register": lambda n: n.get(f"/api/accounts/{n.bank}/postings"),
    "register, a day further down": lambda n: n.get(f"/api/accounts/{n.bank}/postings?to={histories.LAST}"),
    "page: register": lambda n: n.page(f"/accounts/{n.bank}/register"),
    "journal entries": lambda n: n.get("/api/journal-entries"),
    "page: journal": lambda n: n.page("/journal"),
    "page: activity": lambda n: n.page("/activity"),
    "events": lambda n: n.get("/api/events"),
    "page: search": lambda n: n.page("/search?q=shop"),
    "page: search for an amount": lambda n: n.page(f"/search?q={AMOUNT}"),
}


def _sent(client: Client, lines: int, account: str, sign: str) -> Answer:
    """Import lines that are all alike into an account."""
    data = kept_books.ofx(account, lines, alike=True).replace(b"-12.05", f"{sign}{AMOUNT}".encode())
    return client.upload("/api/feeds/imports", f"{account}.ofx", data)


def _pushed(nasty: Nasty) -> tuple[str, dict[str, Any]]:
    """Write a push of lines like all others."""
    numbers = list(itertools.islice(NUMBERS, CONFIRMED))
    line = {"bookedOn": DAY, "amount": f"-{AMOUNT}", "currency": "EUR", "description": TEXT}
    added = [{**line, "providerTransactionId": f"more-{number}"} for number in numbers]
    return f"/api/feeds/accounts/{nasty.fa_id}/transactions", {
        "batchId": f"more-{numbers[0]}",
        "added": added,
    }


NUMBERS: Final = itertools.count()


@contextlib.contextmanager
def served(options: argparse.Namespace, lines: int) -> Iterator[Nasty]:
    """Make nasty books of a size, and serve them."""
    with kept_books.empty(kept_books.place(options.books, options.engine), options.checkout) as books:
        bank = kept_books.history(books, 2 * lines, alike=True)
        with servers.tieout(options.checkout, books.settings) as server:
            api = Client.with_token(server.port, books.token)
            pages = Client.signed_in(server.port, kept_books.EMAIL, kept_books.PASSWORD)
            other_id, fa_id = (
                _sent(api, lines, account, sign).json["import"]["accounts"][0]["faId"]
                for account, sign in (("one", "-"), ("two", ""))
            )
            expense, merchant, document = _owed(api, lines // TIMES)
            yield Nasty(
                servers.Processor(*server.processor.roots, *kept_books.server_pids(books)),
                api,
                pages,
                lines,
                fa_id,
                bank,
                expense,
                merchant,
                document,
                next(_drafts(api, other_id)),
                _drafts(api, fa_id),
            )


def _owed(api: Client, count: int) -> tuple[int, int, int]:
    """Post invoices and file documents, all of one party, day and amount."""
    accounts = {each["name"]: each["id"] for each in api.get("/api/accounts?limit=200").json["accounts"]}
    merchant = api.json("POST", "/api/merchants", {"name": "Shop"}).json["merchant"]["id"]
    owed = {"accountId": accounts["Trade receivables"], "amount": AMOUNT, "orgMerchantId": merchant}
    sold = {"accountId": accounts["Sales of services"], "amount": f"-{AMOUNT}"}
    entry = {"effectiveAt": DAY, "description": "Invoice", "postings": [owed, sold], "post": True}
    paper = {"documentType": "BILL", "sender": "Shop", "total": AMOUNT, "currency": "EUR", "issuedOn": DAY}
    document = 0
    for _ in range(count):
        api.json("POST", "/api/journal-entries", entry)
        document = api.json("POST", "/api/documents", paper).json["document"]["id"]
    return accounts["Software"], merchant, document


def _drafts(api: Client, fa_id: int) -> Iterator[int]:
    """Give the lines of an account one after another."""
    path, cursor = f"/api/transactions?faId={fa_id}&limit=200", ""
    while cursor is not None:
        page = accepted(api.get(path + cursor), "GET", path).json
        yield from [each["id"] for each in page["transactions"]]
        cursor = f"&cursor={page['nextCursor']}" if page["nextCursor"] else None


def least(nasty: Nasty, name: str) -> float:
    """Ask a few times; return the least CPU milliseconds."""
    times = []
    for _ in range(ROUNDS):
        # Nothing that was read before may be answered unread.
        nasty.api.json(
            "PATCH", f"/api/transactions/{nasty.other}", {"description": f"{TEXT} {next(NUMBERS)}"}
        )
        before = nasty.processor.read()
        answer = ASKED[name](nasty)
        times.append(nasty.processor.seconds_since(before))
        accepted(answer, "", name)
    return 1000 * min(times)


def main(options: argparse.Namespace) -> bool:
    """Measure and print; return whether nothing grows faster than n log n."""
    sizes = (options.lines, options.lines * TIMES)
    names = [name for name in ASKED if options.only in name]
    times = []
    for size in sizes:
        with served(options, size) as nasty:
            times.append([least(nasty, name) for name in names])
    most = 1 + math.log(math.log(sizes[1]) / math.log(sizes[0])) / math.log(TIMES) + NOISE
    print(
        f"{f'CPU ms on {options.engine}':<36}{sizes[0]:>10,}{sizes[1]:>10,}{'growth':>9}  (at most {most:.2f})"
    )
    found = []
    for name, few, many in zip(names, *times, strict=True):
        growth = math.log(max(many, 0.01) / max(few, 0.01)) / math.log(TIMES)
        is_worse = growth > most and many > LEAST_MILLISECONDS
        found.append({"title": name, "few": few, "many": many, "growth": growth, "is_met": not is_worse})
        print(f"{name:<36}{few:10.1f}{many:10.1f}{growth:9.2f}{'  FASTER THAN N LOG N' if is_worse else ''}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    return all(each["is_met"] for each in found)


if __name__ == "__main__":
    parser = options_of("growth", __doc__ or "")
    parser.set_defaults(lines=LINES, postings=0)
    sys.exit(not main(parser.parse_args()))
