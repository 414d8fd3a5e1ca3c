"""Every address of the application: what it needs, a body that it takes, and how to write one with ids in it."""

from __future__ import annotations

import io
import re
import zipfile
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.fixtures.people import OWN_BOOKS
from webapp.pages import BOOKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask

PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
SAFE = ("GET",)
# An id that the people of these tests never reach.
NEVER_ISSUED = 2**53 - 1
SETUP_TOKEN = b64encode(b"https://bridge.example/claim/a").decode()
NEVER_DONE = "ar_" + "0" * 26
# The addresses that end the session which asks.
ENDING = {"sessions.close_session", "own_sign_in.end_all_sessions"}

# What an address needs in its query.
QUERIES = {
    "/api/appropriations": "year=2025",
    "/api/exports/report": "report=general_ledger&format=csv",
    "/api/tax/returns/open": "form=generic-vat",
    "/api/tax/returns/open/codes": "form=generic-vat",
    "/api/tax/returns/open/file": "form=generic-vat&format=csv",
    "/api/tax/returns/<id:return_id>/file": "format=csv",
}

# Where a bank and its consent lead to: they are refused of a connection that no consent opens.
OF_CONSENTS = {"bank_connections.consent", "bank_connections.come_back"}
# What also needs the provider of the banks, which these tests do not have.
OF_PROVIDERS = {*OF_CONSENTS, "bank_connections.new"}

# What is there only where mail is set.
OF_MAIL = {"mailed_links.forgotten", "mailed_links.show_address", "mailed_links.show_reset"}

# What an address needs in its body before it looks for what its path names.
BODIES: dict[str, dict[str, Any]] = {
    "POST /api/action-requests/<act:request_id>/approve": {"digest": "0" * 64},
    "POST /api/action-requests/<act:request_id>/reject": {"reason": "A test"},
    "POST /api/action-requests/approve": {"proposals": [{"id": "A test", "digest": "0" * 64}]},
    "POST /api/action-requests/reject": {"ids": ["A test"], "reason": "A test"},
    "POST /proposals/reject": {"ids": f"A test.{'0' * 64}", "reason": "A test"},
    "POST /proposals/<string:request_id>/approve": {"digest": "0" * 64},
    "POST /proposals/<string:request_id>/reject": {"reason": "A test"},
    "POST /proposals/approve": {"ids": f"A test.{'0' * 64}"},
    "POST /api/journal-entries/<id:entry_id>/correct": {
        "postings": [{"accountId": 1, "amount": "1.00"}, {"accountId": 1, "amount": "-1.00"}],
        "reason": "A test",
    },
    "POST /api/journal-entries/<id:entry_id>/take-back": {"reason": "A test"},
    "POST /api/journal-entries/<id:entry_id>/void": {"reason": "A test"},
    "POST /api/closes/<string:period>/approve": {"digest": "0" * 64},
    "POST /api/closes/<string:period>/reopen": {"note": "A test"},
    "POST /month-end/<string:period>/approve": {"digest": "0" * 64},
    "POST /month-end/<string:period>/reopen": {"note": "A test"},
    "POST /api/balance-proofs/notes": {
        "accountId": 1,
        "asOf": "2026-03-31",
        "kind": "OTHER",
        "amount": "1.00",
        "text": "A test",
        "owner": "Ben",
        "reversesBy": "2026-04-30",
    },
    "PUT /api/balance-proofs/materiality": {"materiality": "10.00"},
    "PATCH /api/members/<id:user_id>": {"endsOn": "2099-03-31"},
    "PATCH /api/owners/<id:owner_id>": {"name": "A test"},
    "PATCH /api/schedules/<id:schedule_id>": {"name": "A test"},
    # To post the parts takes another scope.
    "POST /api/schedules/run": {"post": False},
    "POST /schedules/run": {"post": "false"},
    "POST /api/schedules/<id:schedule_id>/dispose": {"on": "2026-02-01"},
    "POST /api/schedules/<id:schedule_id>/parts/<id:number>/skip": {"note": "A test"},
    "POST /api/schedules/<id:schedule_id>/stop": {"note": "A test"},
    "POST /api/settlements/<id:settlement_id>/undo": {"reason": "A test"},
    "POST /settlements/<id:settlement_id>/undo": {"reason": "A test"},
    "POST /api/tax/returns/<id:return_id>/withdraw": {"reason": "A test"},
    "POST /tax/returns/<id:return_id>/withdraw": {"reason": "A test"},
    "PUT /api/journal-entries/<id:entry_id>": {
        "effectiveAt": "2026-03-02",
        "postings": [{"accountId": 1, "amount": "1.00"}, {"accountId": 1, "amount": "-1.00"}],
        "version": "A test",
    },
    "PATCH /api/transactions/<id:transaction_id>": {"description": "A test"},
    "POST /api/transactions/<id:transaction_id>/join": {"transactionId": NEVER_ISSUED},
    "POST /api/transactions/<id:transaction_id>/unjoin": {"transactionId": NEVER_ISSUED},
    "POST /api/feeds/accounts/<id:fa_id>/transactions": {"batchId": "A test"},
    "POST /transfers/<id:transaction_id>/join": {"transactionId": NEVER_ISSUED},
    "POST /transfers/<id:transaction_id>/unjoin": {"transactionId": NEVER_ISSUED},
    "POST /api/transactions/confirm": {"ids": [NEVER_ISSUED]},
    "PATCH /api/accounts/<id:account_id>": {"name": "A test"},
    "PATCH /api/merchants/<id:merchant_id>": {"name": "A test"},
    "POST /api/merchants/<id:merchant_id>/merge": {"mergedIntoId": NEVER_ISSUED},
    "PATCH /api/projects/<id:project_id>": {"name": "A test"},
    "PATCH /api/projects/groups/<id:group_id>": {"name": "A test"},
    "PATCH /api/feeds/accounts/<id:fa_id>": {"name": "A test"},
    "PATCH /api/feeds/connections/<id:connection_id>": {"name": "A test"},
    "POST /api/feeds/connections/<id:connection_id>/renew": {"setupToken": SETUP_TOKEN},
    "POST /settings/banks/<id:connection_id>/account": {"externalId": "A test", "target": "leave"},
    "POST /settings/banks/<id:connection_id>/pause": {"isPaused": "true"},
    "POST /settings/banks/<id:connection_id>/renew": {"setupToken": SETUP_TOKEN},
    "POST /api/automations/suggestions/dismiss": {"key": "A test"},
    "POST /api/automations/suggestions/undismiss": {"key": "A test"},
    "POST /rules/suggestions/dismiss": {"key": "A test"},
    "POST /rules/suggestions/undismiss": {"key": "A test"},
    "POST /api/documents/<id:document_id>/relations": {"transactionId": NEVER_ISSUED},
    "DELETE /api/documents/<id:document_id>/relations": {"transactionId": NEVER_ISSUED},
    "POST /api/documents/<id:document_id>/declines": {"transactionId": NEVER_ISSUED},
    "DELETE /api/documents/<id:document_id>/declines": {"transactionId": NEVER_ISSUED},
    "POST /api/documents/<id:document_id>/entry": {},
    "POST /api/transactions/<id:transaction_id>/splits": {"documentId": NEVER_ISSUED},
    "POST /transactions/<id:transaction_id>/documents/split": {"documentId": NEVER_ISSUED},
    "PATCH /api/documents/<id:document_id>": {"sender": "A test"},
    "POST /api/automations/rules/preview": {
        "name": "A test",
        "effects": [{"kind": "SET_CURRENCY", "currency": "EUR"}],
    },
    "POST /api/automations/rules/<id:rule_id>/apply": {"digest": "0" * 64},
    "PUT /api/automations/rules/<id:rule_id>": {
        "name": "A test",
        "effects": [{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}],
    },
    "PUT /api/reconciliations/accounts/<id:fa_id>/draft": {
        "statementDate": "2026-03-31",
        "statementBalance": "0.00",
    },
    "PUT /api/reconciliations/accounts/<id:fa_id>/draft/lines": {"auto": True},
    "POST /api/reconciliations/accounts/<id:fa_id>/reopen": {"reason": "A test"},
    "POST /api/reconciliations/accounts/<id:fa_id>/accept": {"reconciliationId": 1},
}


@dataclass(frozen=True)
class Address:
    """One method of one route, and the scope that its view declares."""

    method: str
    rule: str
    endpoint: str
    scope: str | None
    session_only: bool = False
    is_secret: bool = False
    decides: bool = False
    token_only: bool = False
    is_heavy: bool = False

    @property
    def name(self) -> str:
        return f"{self.method} {self.rule}"

    @property
    def is_api(self) -> bool:
        return self.rule == "/mcp" or self.rule.startswith("/api")

    @property
    def is_safe(self) -> bool:
        return self.method in SAFE

    @property
    def parameters(self) -> list[str]:
        return [match[2] for match in PARAMETER.finditer(self.rule) if match[1] != "books"]

    def path(self, ids: Mapping[str, object] | None = None, *, default: object = NEVER_ISSUED) -> str:
        """Write the address with these ids in the places of its parameters."""
        return PARAMETER.sub(
            lambda match: str((ids or {}).get(match[2], _like(match[1], default))), self.rule
        )

    def asked(self, ids: Mapping[str, object] | None = None, *, default: object = NEVER_ISSUED) -> str:
        """Write the address with these ids, and with what it needs in its query."""
        query = QUERIES.get(self.rule)
        return self.path(ids, default=default) + (f"?{query}" if query else "")

    def options(self) -> dict[str, Any]:
        """Give what a well-formed request to it carries."""
        if self.is_safe:
            return {}
        body = BODIES.get(self.name, {})
        return {"json": body} if self.is_api and body else ({} if self.is_api else {"data": body})


def _like(kind: str, default: object) -> object:
    """Write an act's id where an act is named, though nobody was ever given it."""
    if kind == "books":
        return OWN_BOOKS
    return NEVER_DONE if kind == "act" and default == NEVER_ISSUED else default


def refusal_of(answer) -> tuple[str, str]:
    """Give the code and the sentence of a refusal to a program, in the form of the API or of the protocol of models."""
    error = answer.json["error"]
    if isinstance(error, dict):
        return error["data"]["code"], error["message"]
    return answer.json["code"], error


def addresses_of(app: Flask) -> list[Address]:
    """List every address but the static files', in the order of the file."""
    found = [
        Address(
            method,
            path_of(rule.rule),
            rule.endpoint,
            getattr(app.view_functions[rule.endpoint], "scope", None),
            getattr(app.view_functions[rule.endpoint], "session_only", False),
            getattr(app.view_functions[rule.endpoint], "is_secret", False),
            getattr(app.view_functions[rule.endpoint], "decides", False),
            getattr(app.view_functions[rule.endpoint], "token_only", False),
            getattr(app.view_functions[rule.endpoint], "is_heavy", False),
        )
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if not rule.endpoint.endswith("static")
    ]
    return sorted(found, key=lambda address: (address.rule, address.method))


def path_of(rule: str) -> str:
    """Write an address from the books that it names; that of their hub stays whole, or it would be that of `/`."""
    path = rule.removeprefix(BOOKS)
    return rule if path == "/" else path


def written(addresses: list[Address]) -> list[str]:
    """Write addresses as lines of tests/routes.txt."""
    return [f"{address.method:<7} {address.rule:<58} {needs(address)}" for address in addresses]


def needs(address: Address) -> str:
    """Say what an address needs: a scope, who may ask where not everybody may, and whether it takes a slot."""
    facts = {
        "signed in": address.session_only,
        "or to approve": address.decides,
        "by key": address.token_only,
        "heavy": address.is_heavy,
    }
    return ", ".join([str(address.scope), *(fact for fact, holds in facts.items() if holds)])


def text_of(answer):
    """Give what an answer says; of a workbook, or another archive, what is packed in it."""
    if not answer.data.startswith(b"PK"):
        return answer.text
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        return "".join(archive.read(each).decode() for each in archive.namelist())
