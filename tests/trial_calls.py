"""One call of every write of the API which would do something, in books that have something for each."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fixtures.feeds import line as fed
from tests.ofx_statements import Line, bank_file

if TYPE_CHECKING:
    from werkzeug.test import TestResponse

    from tests.fixtures.banks import Bank
    from tests.fixtures.people import Person

FILE = bank_file(Line("2026-04-02", "-2.50", "Coffee", "F1"), Line("2026-04-05", "100.00", "Invoice 7", "F2"))
TAKEN = bank_file(Line("2026-02-02", "-7.50", "Cake", "F0"))
KEPT = bank_file(Line("2026-05-02", "-9.50", "Tea", "F9"))


@dataclass(frozen=True)
class Trial:
    """A call by the name that its address has in tests/routes.txt."""

    name: str
    path: str
    options: dict[str, Any] = field(default_factory=dict)

    def ask(self, person: Person, **asked: str) -> TestResponse:
        """Make the call, with more in its query."""
        options = {**self.options, "query_string": {**self.options.get("query_string", {}), **asked}}
        if "file" in options:
            options |= form(*options.pop("file"))
        return person.ask(self.name.split()[0], self.path, **options)


def form(data: bytes, name: str, **fields: str) -> dict[str, Any]:
    return {"data": {"file": (io.BytesIO(data), name), **fields}, "content_type": "multipart/form-data"}


def done(answer: TestResponse) -> Any:
    assert answer.status_code < 300, answer.json
    return answer.json


def calls(ada: Person, bank: Bank) -> list[Trial]:
    """Fill Ada's books, and list a call for each address."""
    made = Books(ada, bank)
    return [
        *made.of_documents(),
        *made.of_suggestions(),
        *made.of_lines(),
        *made.of_entries(),
        *made.of_names(),
        *made.of_accounts(),
        *made.of_proofs(),
    ]


class Books:
    """Ada's books with something of everything; nothing of what is listed is done."""

    def __init__(self, ada: Person, bank: Bank) -> None:
        self.ada, self.bank = ada, bank
        self.savings = bank.open("Savings")
        self.moved_in = bank.send("2026-03-12", "500.00", "Moving")
        self.fa_id = bank.open("Giro")
        self.posted, self.drafted, self.gone, self.moved_out = bank.send_many(
            [
                ("2026-03-02", "-60.00", "Paper"),
                ("2026-03-03", "-45.20", "REWE"),
                ("2026-03-04", "-1.00", "Oops"),
                ("2026-03-12", "-500.00", "Moving"),
            ]
        )
        self.entry = done(ada.post(f"/api/transactions/{self.posted}/confirm"))["result"]["journalEntryIds"][
            0
        ]
        done(ada.delete(f"/api/transactions/{self.gone}"))
        self.expense = bank.account("Stationery")

    def of_lines(self) -> list[Trial]:
        one = f"/api/transactions/{self.drafted}"
        pair = {"json": {"transactionId": self.moved_in}}
        edit = {"accountId": self.expense}
        transaction = "/api/transactions/<id:transaction_id>"
        return [
            Trial(f"POST {transaction}/confirm", f"{one}/confirm"),
            Trial(f"PATCH {transaction}", one, {"json": edit}),
            Trial(f"DELETE {transaction}", one),
            Trial(f"POST {transaction}/restore", f"/api/transactions/{self.gone}/restore"),
            Trial(f"POST {transaction}/join", f"/api/transactions/{self.moved_out}/join", pair),
            Trial(f"POST {transaction}/unjoin", f"/api/transactions/{self.moved_out}/unjoin", pair),
            Trial(
                "PATCH /api/transactions",
                "/api/transactions",
                {"json": {"changes": [{"id": self.posted, **edit}]}},
            ),
            Trial(
                "POST /api/transactions/confirm",
                "/api/transactions/confirm",
                {"json": {"ids": [self.drafted, self.moved_in]}},
            ),
            Trial("POST /api/transfers/accept", "/api/transfers/accept"),
            *self._of_rules(),
        ]

    def of_documents(self) -> list[Trial]:
        documents, one = "/api/documents", "/api/documents/<id:document_id>"
        bill = done(self.ada.post(documents, json={"documentType": "BILL", "sender": "REWE"}))["document"][
            "id"
        ]
        related = done(self.ada.post(documents, json={"documentType": "BILL", "sender": "Paper"}))[
            "document"
        ]["id"]
        unwanted = done(self.ada.post(documents, **form(b"%PDF-1.7\n%%EOF\n", "unwanted.pdf")))["document"][
            "id"
        ]
        line = {"json": {"transactionId": self.drafted}}
        done(self.ada.post(f"{documents}/{related}/relations", **line))
        return [
            Trial(f"POST {documents}", documents, {"file": (b"%PDF-1.4\n%%EOF\n", "bill.pdf")}),
            Trial(f"PATCH {one}", f"{documents}/{bill}", {"json": {"sender": "Aldi"}}),
            Trial(f"DELETE {one}", f"{documents}/{unwanted}"),
            Trial(f"POST {one}/relations", f"{documents}/{bill}/relations", line),
            Trial(f"DELETE {one}/relations", f"{documents}/{related}/relations", line),
        ]

    def of_suggestions(self) -> list[Trial]:
        """Two habits: one is suggested as a rule, of the other somebody did not want that."""
        path = "/api/automations/suggestions"
        for name in ("Bakery", "Kiosk"):
            for day in ("2026-03-20", "2026-03-21", "2026-03-22"):
                line = self.bank.at(self.fa_id).send(day, "-3.00", name)
                self.ada.patch(f"/api/transactions/{line}", json={"accountId": self.expense})
                done(self.ada.post(f"/api/transactions/{line}/confirm"))
        kept, other = (each["key"] for each in done(self.ada.get(path))["suggestions"][:2])
        done(self.ada.post(f"{path}/dismiss", json={"key": other}))
        return [
            Trial(f"POST {path}/dismiss", f"{path}/dismiss", {"json": {"key": kept}}),
            Trial(f"POST {path}/undismiss", f"{path}/undismiss", {"json": {"key": other}}),
        ]

    def _of_rules(self) -> list[Trial]:
        rules = "/api/automations/rules"
        body = {
            "name": "Groceries",
            "conditions": {"conditions": [{"value": "REWE"}]},
            "effects": [{"kind": "SET_ACCOUNT", "accountId": self.expense}],
            "trigger": "MANUAL_APPLY",
        }
        rule = done(self.ada.post(rules, json=body))["rule"]["id"]
        other = done(self.ada.post(rules, json={**body, "conditions": {"conditions": [{"value": "Moving"}]}}))
        other_id = other["rule"]["id"]
        digest = done(self.ada.post(f"{rules}/{other_id}/preview"))["preview"]["digest"]
        run = done(self.ada.post(f"{rules}/{other_id}/apply", json={"digest": digest}))["run"]["id"]
        digest = done(self.ada.post(f"{rules}/{rule}/preview"))["preview"]["digest"]
        return [
            Trial(f"POST {rules}", rules, {"json": body}),
            Trial(f"PUT {rules}/<id:rule_id>", f"{rules}/{rule}", {"json": {**body, "name": "Food"}}),
            Trial(f"DELETE {rules}/<id:rule_id>", f"{rules}/{rule}"),
            Trial(f"POST {rules}/<id:rule_id>/apply", f"{rules}/{rule}/apply", {"json": {"digest": digest}}),
            Trial(
                "POST /api/automations/runs/<id:run_id>/undo",
                f"/api/automations/runs/{run}/undo",
            ),
        ]

    def of_entries(self) -> list[Trial]:
        entries, one = "/api/journal-entries", "/api/journal-entries/<id:entry_id>"
        bank_account = self.bank.role("uncategorised_expenses")
        body = {
            "effectiveAt": "2026-03-02",
            "description": "By hand",
            "postings": [
                {"accountId": self.expense, "amount": "5.00"},
                {"accountId": bank_account, "amount": "-5.00"},
            ],
        }
        made = done(self.ada.post(entries, json=body))
        path, version = f"{entries}/{made['entry']['id']}", made["version"]
        return [
            Trial(f"POST {entries}", entries, {"json": {**body, "post": True}}),
            Trial(f"PUT {one}", path, {"json": {**body, "description": "By two hands", "version": version}}),
            Trial(f"DELETE {one}", path, {"query_string": {"version": version}}),
            Trial(f"POST {one}/post", f"{path}/post", {"json": {"version": version}}),
            Trial(f"POST {one}/void", f"{entries}/{self.entry}/void", {"json": {"reason": "Twice"}}),
        ]

    def of_names(self) -> list[Trial]:
        merchant, project = self.bank.merchant("Paper shop"), self.bank.project("Website")
        group = done(self.ada.post("/api/projects/groups", json={"name": "Clients"}))["group"]["id"]
        name = {"json": {"name": "Another name"}}
        return [
            Trial("POST /api/merchants", "/api/merchants", name),
            Trial("PATCH /api/merchants/<id:merchant_id>", f"/api/merchants/{merchant}", name),
            Trial("POST /api/projects", "/api/projects", name),
            Trial("PATCH /api/projects/<id:project_id>", f"/api/projects/{project}", name),
            Trial("DELETE /api/projects/<id:project_id>", f"/api/projects/{project}"),
            Trial("POST /api/projects/groups", "/api/projects/groups", name),
            Trial("PATCH /api/projects/groups/<id:group_id>", f"/api/projects/groups/{group}", name),
            Trial("DELETE /api/projects/groups/<id:group_id>", f"/api/projects/groups/{group}"),
        ]

    def of_accounts(self) -> list[Trial]:
        feeds, imports = "/api/feeds/accounts", "/api/feeds/imports"
        feed, name = f"{feeds}/{self.savings}", {"json": {"name": "Another name"}}
        self._pause(feed)
        taken_id = done(self.ada.post(imports, **form(TAKEN, "taken.ofx")))["import"]["id"]
        kept_id = done(self.ada.post(imports, **form(KEPT, "kept.ofx", dryRun="true")))["import"]["id"]
        rate = {"day": "2026-03-02", "currency": "USD", "unitsPerBase": "1.1", "source": "A test"}
        return [
            Trial("POST /api/accounts", "/api/accounts", {"json": {"name": "Tea", "type": "EXPENSE"}}),
            Trial("PATCH /api/accounts/<id:account_id>", f"/api/accounts/{self.expense}", name),
            Trial(f"POST {feeds}", feeds, {"json": {"name": "Third", "currency": "EUR"}}),
            Trial(f"PATCH {feeds}/<id:fa_id>", feed, name),
            Trial(f"POST {feeds}/<id:fa_id>/resume", f"{feed}/resume"),
            Trial(
                f"POST {feeds}/<id:fa_id>/transactions",
                f"{feeds}/{self.fa_id}/transactions",
                {"json": {"batchId": "B1", "added": [fed("A1"), fed("A2", "-3.00")]}},
            ),
            Trial(f"POST {imports}", imports, {"file": (FILE, "april.ofx")}),
            Trial(f"POST {imports}/<id:import_id>/commit", f"{imports}/{kept_id}/commit", {"json": {}}),
            Trial(f"DELETE {imports}/<id:import_id>", f"{imports}/{taken_id}"),
            Trial("PUT /api/exchange-rates", "/api/exchange-rates", {"json": {"rates": [rate]}}),
            Trial(
                "PUT /api/lock-date",
                "/api/lock-date",
                {"json": {"lockDate": "2026-02-28", "moveDrafts": True}},
            ),
        ]

    def _pause(self, feed: str) -> None:
        nonsense = {"added": [fed("X", currency="USD")]}
        for number in range(3):
            self.ada.post(f"{feed}/transactions", json={"batchId": f"N{number}", **nonsense})

    def of_proofs(self) -> list[Trial]:
        """Giro has an open draft that ties; of the card one proof stands which is broken, of the purse one holds."""
        base = "/api/reconciliations/accounts"
        proved, _ = self._proved("Card")
        broken, proof = self._proved("Purse", is_broken=True)
        one = f"{base}/<id:fa_id>"
        self.ada.put(
            f"{base}/{self.fa_id}/draft", json={"statementDate": "2026-03-02", "statementBalance": "-60.00"}
        )
        done(self.ada.put(f"{base}/{self.fa_id}/draft/lines", json={"auto": True}))
        version = done(self.ada.get(f"{base}/{self.fa_id}"))["account"]["draft"]["version"]
        statement = {"statementDate": "2026-03-31", "statementBalance": "7.00", "version": version}
        return [
            Trial(f"POST {one}/abandon", f"{base}/{self.fa_id}/abandon"),
            Trial(f"POST {one}/complete", f"{base}/{self.fa_id}/complete", {"json": {}}),
            Trial(f"PUT {one}/draft", f"{base}/{self.fa_id}/draft", {"json": statement}),
            Trial(
                f"PUT {one}/draft/lines",
                f"{base}/{self.fa_id}/draft/lines",
                {"json": {"uncleared": [self.posted]}},
            ),
            Trial(f"POST {one}/reopen", f"{base}/{proved}/reopen", {"json": {"reason": "A test"}}),
            Trial(f"POST {one}/accept", f"{base}/{broken}/accept", {"json": {"reconciliationId": proof}}),
        ]

    def _break(self, entry: int) -> None:
        """Let an entry by hand come to a bank's account before the day of its proof."""
        leg = done(self.ada.get(f"/api/journal-entries/{entry}"))["entry"]["postings"][0]["accountId"]
        postings = [{"accountId": leg, "amount": "4.00"}, {"accountId": self.expense, "amount": "-4.00"}]
        body = {"effectiveAt": "2026-01-20", "description": "Cash", "postings": postings, "post": True}
        done(self.ada.post("/api/journal-entries", json=body))

    def _proved(self, name: str, *, is_broken: bool = False) -> tuple[int, int]:
        fa_id = self.bank.open(name)
        line = self.bank.send("2026-01-05", "-10.00", name)
        entry = done(self.ada.post(f"/api/transactions/{line}/confirm"))["result"]["journalEntryIds"][0]
        path = f"/api/reconciliations/accounts/{fa_id}"
        statement = {"statementDate": "2026-01-31", "statementBalance": "-10.00"}
        done(self.ada.put(f"{path}/draft", json=statement))
        done(self.ada.put(f"{path}/draft/lines", json={"auto": True}))
        proof = done(self.ada.post(f"{path}/complete", json={}))["reconciliation"]["id"]
        if is_broken:
            self._break(entry)
        return fa_id, proof
