"""Requests made up at random: every address, every field of its schema, with ids and words of somebody else."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import marshmallow as ma

from tests.security.addresses import NEVER_ISSUED, addresses_of
from webapp.ledger.currencies import ACTIVE
from webapp.schemas import access, addresses, column_mappings, fields
from webapp.schemas import imports as schema_imports
from webapp.schemas.accounts import accounts, feed_accounts, merchants, projects
from webapp.schemas.audit import action_requests, agent_undos
from webapp.schemas.bookkeeping import exchange_rates, journal_entries, periods
from webapp.schemas.documents import bookings, documents
from webapp.schemas.reconciliation import reconciliations
from webapp.schemas.rules import rules, runs, suggestions
from webapp.schemas.transactions import line_forms, line_joins, settlements
from webapp.web.paging import encode

if TYPE_CHECKING:
    from random import Random

    from flask import Flask

    from tests.security.addresses import Address

# What ends the session that asks, opens one, or holds nothing of anybody's.
LEFT_OUT = {
    "/sign-out",
    "/settings/sign-in/sessions/end-all",
    "/sign-in",
    "/join/<string:secret>",
    "/start/<string:secret>",
    "/api/openapi.json",
    "/api/docs/<string:area>",
}
# What the forms of pages say; the API's views declare their schemas themselves.
FORMS = {
    "/accounts": accounts.NewAccountFormSchema,
    "/accounts/<id:account_id>": accounts.AccountFormSchema,
    "/accounts/<id:account_id>/archive": accounts.ArchiveFormSchema,
    "/documents": documents.DocumentUploadSchema,
    "/documents/<id:document_id>": documents.DocumentFormSchema,
    "/transactions/<id:transaction_id>/documents/split": bookings.SplitByDocumentFormSchema,
    "/documents/<id:document_id>/declines": documents.RelatedFormSchema,
    "/documents/<id:document_id>/declines/delete": documents.RelatedFormSchema,
    "/documents/<id:document_id>/relations": documents.RelatedFormSchema,
    "/documents/<id:document_id>/relations/delete": documents.RelatedFormSchema,
    "/feeds/<id:fa_id>/batches": feed_accounts.BatchesFormSchema,
    "/journal/<id:entry_id>/balance": journal_entries.ManualEntryFormSchema,
    "/activity/plans/<act:plan_id>/undo": agent_undos.PlanUndoFormSchema,
    "/activity/plans/<act:plan_id>/undo/preview": agent_undos.PlanUndoPreviewFormSchema,
    "/journal/<id:entry_id>/delete": journal_entries.EntryPostSchema,
    "/journal/<id:entry_id>/edit": journal_entries.EntryChangesFormSchema,
    "/journal/<id:entry_id>/post": journal_entries.EntryPostSchema,
    "/journal/<id:entry_id>/take-back": exchange_rates.TakeBackSchema,
    "/journal/<id:entry_id>/void": journal_entries.VoidFormSchema,
    "/journal/balance": journal_entries.ManualEntryFormSchema,
    "/journal/new": journal_entries.ManualEntryFormSchema,
    "/imports/<id:import_id>/commit": schema_imports.CommitFormSchema,
    "/imports/<id:import_id>/columns": column_mappings.ColumnsFormSchema,
    "/merchants": merchants.NewMerchantSchema,
    "/merchants/<id:merchant_id>": merchants.MerchantChangesSchema,
    "/merchants/<id:merchant_id>/merge": merchants.MergeFormSchema,
    "/projects": projects.ProjectFormSchema,
    "/projects/<id:project_id>": projects.ProjectFormSchema,
    "/projects/groups": projects.ProjectGroupFormSchema,
    "/projects/groups/<id:group_id>": projects.ProjectGroupFormSchema,
    "/proposals/approve": action_requests.ApproveManyFormSchema,
    "/proposals/reject": action_requests.RejectManyFormSchema,
    "/proposals/<string:request_id>/approve": action_requests.ApprovalFormSchema,
    "/proposals/<string:request_id>/reject": action_requests.RejectionFormSchema,
    "/reconciliations/<id:fa_id>/complete": reconciliations.VersionFormSchema,
    "/reconciliations/<id:fa_id>/draft": reconciliations.DraftFormSchema,
    "/reconciliations/<id:fa_id>/lines": reconciliations.LinesFormSchema,
    "/settlements": settlements.TickedItemsFormSchema,
    "/settlements/<id:settlement_id>/undo": settlements.SettlementUndoSchema,
    "/transfers/pair": settlements.TickedItemsFormSchema,
    "/transfers/<id:transaction_id>/join": line_joins.OtherLineFormSchema,
    "/transfers/<id:transaction_id>/unjoin": line_joins.OtherLineFormSchema,
    "/reconciliations/<id:fa_id>/reopen": reconciliations.ReopenFormSchema,
    "/rules/<id:rule_id>": rules.RuleReplacementSchema,
    "/rules/<id:rule_id>/apply": runs.ApplyFormSchema,
    "/rules/<id:rule_id>/move": rules.MoveFormSchema,
    "/rules/<id:rule_id>/switch": rules.SwitchFormSchema,
    "/rules/<id:rule_id>/try": rules.RuleReplacementSchema,
    "/rules/new": rules.RuleReplacementSchema,
    "/rules/try": rules.RuleReplacementSchema,
    "/rules/suggestions/dismiss": suggestions.SuggestionKeySchema,
    "/rules/suggestions/undismiss": suggestions.SuggestionKeySchema,
    "/settings/exchange-rates": exchange_rates.ExchangeRateSchema,
    "/settings/exchange-rates/revalue": exchange_rates.RevaluationSchema,
    "/reconciliations/<id:fa_id>/accept": reconciliations.AcceptFormSchema,
    "/settings/files": periods.RetentionFormSchema,
    "/settings/financial-year": periods.FirstMonthFormSchema,
    "/settings/keys": access.TokenFormSchema,
    "/settings/keys/<id:token_id>": access.TokenChangesFormSchema,
    "/settings/keys/<id:token_id>/undo": agent_undos.UndoFormSchema,
    "/settings/keys/<id:token_id>/undo/preview": agent_undos.SinceFormSchema,
    "/settings/lock-date": periods.LockDateFormSchema,
    "/settings/lock-date/adjustments": periods.AdjustmentsLockFormSchema,
    "/settings/lock-date/exceptions": periods.LockExceptionFormSchema,
    "/settings/members": access.InvitationFormSchema,
    "/settings/members/<id:user_id>/role": access.RoleFormSchema,
    "/settings/organization": access.OrganizationFormSchema,
    "/settings/organization/choose": access.OrganizationChoiceFormSchema,
    "/settings/sign-in/letter-keys": access.LetterKeysFormSchema,
    "/settings/sign-in/language": access.OwnLanguageFormSchema,
    "/settings/sign-in/letters": access.OwnLettersFormSchema,
    "/settings/sign-in/locale": access.OwnLocaleFormSchema,
    "/settings/sign-in/password": access.OwnPasswordFormSchema,
    "/settings/sign-in/person": access.OwnPersonFormSchema,
    "/settings/sign-in/sessions/end": access.OwnSessionFormSchema,
    "/settings/sign-in/theme": access.ThemeFormSchema,
    "/start": access.StartFormSchema,
    "/transactions/<id:transaction_id>": line_forms.TransactionFormSchema,
    "/transactions/<id:transaction_id>/confirm": line_forms.ConfirmFormSchema,
    "/transactions/<id:transaction_id>/join": line_joins.OtherLineFormSchema,
    "/transactions/<id:transaction_id>/parts": line_forms.TransactionFormSchema,
    "/transactions/<id:transaction_id>/unjoin": line_joins.OtherLineFormSchema,
    "/views": access.NewSavedViewFormSchema,
    "/views/<id:view_id>": access.SavedViewFormSchema,
    "/transactions/confirm": line_forms.ConfirmManyFormSchema,
    "/transactions/void": line_forms.VoidManyFormSchema,
}
# What the addresses of pages say.
PAGES = (
    addresses.WorkspaceQuerySchema,
    addresses.HubPageQuerySchema,
    addresses.ImportsPageQuerySchema,
    addresses.ImportPageQuerySchema,
    addresses.RuleLinesPageSchema,
    addresses.NewRulePageSchema,
    journal_entries.EntryFilterFormSchema,
    suggestions.SuggestionsPageSchema,
)
PARTS = (
    "div#lines", "section#rules", "div#found", "section#panel", "div#hub", "form#void", "body", "tr#line", "main",
    "settings", "why",
)  # fmt: skip
DAYS = ("2026-03-02", "2026-03-31", "2025-12-31", "2199-12-31", "1900-01-01")
# Their sums end in a nought, and so are never a canary's.
AMOUNTS = ("1.00", "-1.00", "77777.30", "-77777.30", "0.00", "2.50")
LARGEST_ID_THERE = 90


@dataclass
class Asker:
    """Makes requests up, the same ones again from the same seed.

    `foreign` are ids by the names that addresses call them. `words` are parts of what must not be told, never
    the whole of it, so that an answer which repeats what was typed gives nothing away.
    """

    random: Random
    app: Flask
    foreign: dict[str, Any]
    words: tuple[str, ...]
    cursors: tuple[str, ...]
    addresses: list[Address] = field(init=False)

    def __post_init__(self) -> None:
        self.addresses = [each for each in addresses_of(self.app) if each.rule not in LEFT_OUT]

    def request(self) -> tuple[str, str, dict[str, Any]]:
        address = self.random.choice(self.addresses)
        path = address.path({name: self._named(name) for name in address.parameters})
        if address.is_safe:
            return address.method, path + self._query(address), {}
        return address.method, path, self._body(address)

    def headers(self) -> dict[str, str]:
        """Ask for a whole page, or as HTMX for a part of one."""
        if self.random.random() < 0.7:
            return {}
        return {"HX-Request": "true", "HX-Target": self.random.choice(PARTS)}

    def _named(self, parameter: str) -> object:
        """Give an id for an address: mostly one that is really there, in one organization or the other."""
        chance = self.random.random()
        # What is no id of anything in the books is the name of a page of help.
        there = self.foreign.get(parameter, "lines")
        if chance < 0.55:
            return there
        if isinstance(there, str) or chance < 0.6:
            return self.random.choice([NEVER_ISSUED, *self.foreign.values()])
        return self.random.randint(1, LARGEST_ID_THERE)

    def _id(self) -> int:
        """Give an id of anything: the tables of both organizations count from one together."""
        there = [value for value in self.foreign.values() if isinstance(value, int)]
        return self.random.choice([*there, self.random.randint(1, LARGEST_ID_THERE), NEVER_ISSUED])

    def _query(self, address: Address) -> str:
        schemas = self._declared(address, "query") if address.is_api else PAGES
        known = {each.data_key: each for schema in schemas for each in made(schema).load_fields.values()}
        chosen = self.random.sample(sorted(known), min(len(known), self.random.randint(0, 3)))
        if not chosen:
            return ""
        return "?" + urlencode({name: written(self._value(name, known[name])) for name in chosen})

    def _body(self, address: Address) -> dict[str, Any]:
        if address.is_api:
            schemas = self._declared(address, "json")
            return {"json": self._filled(schemas[0])} if schemas else {}
        schema = FORMS.get(address.rule)
        return {"data": flat(self._filled(schema))} if schema else {"data": {}}

    def _declared(self, address: Address, place: str) -> list[ma.Schema]:
        noted = getattr(self.app.view_functions[address.endpoint], "_apidoc", {}).get("arguments", {})
        return [each["schema"] for each in noted.get("parameters", []) if each["in"] == place]

    def _filled(self, schema: ma.Schema | type[ma.Schema]) -> dict[str, Any]:
        return {
            each.data_key: self._value(each.data_key, each)
            for each in made(schema).load_fields.values()
            if each.required or self.random.random() < 0.4
        }

    def _value(self, name: str, kind: ma.fields.Field) -> Any:  # noqa: C901, PLR0911  (a case for each kind)
        choose = self.random.choice
        match kind:
            case fields.FormId() | fields.Id():
                return self._id()
            case ma.fields.Integer():
                return choose((1, 2, 50, 200))
            case ma.fields.Boolean():
                return choose((True, False))
            case ma.fields.List():
                return [self._value(name, kind.inner) for _ in range(self.random.randint(1, 3))]
            case ma.fields.Nested():
                return self._filled(kind.schema)
            case ma.fields.Dict():
                return {"kind": "SET_ACCOUNT", "accountId": self._id(), "sortOrder": 1}
            case fields.OneOf():
                return choose([word for each in kind.validators for word in each.choices])
            case ma.fields.Date():
                return choose(DAYS)
            case fields.Amount() | fields.UnitsPerBase():
                return choose(AMOUNTS)
            case fields.Currency():
                return choose(("EUR", "EUR", "USD", choose(sorted(ACTIVE))))
            case fields.Url():
                return "https://bank.example"
        return self._text(name)

    def _text(self, name: str) -> str:
        match name:
            case "cursor":
                return self.random.choice((*self.cursors, self._own_cursor()))
            case "organizationId":
                return self.foreign["organization_id"]
            case "timeZone":
                return "Europe/Berlin"
            case "email":
                return f"person{self.random.randint(1, 9)}@example.com"
        return self.random.choice(self.words)

    def _own_cursor(self) -> str:
        """Write a cursor that no list gave out."""
        day, number = date.fromisoformat(self.random.choice(DAYS)), self._id()
        word = self.random.choice(self.words)
        return encode(self.random.choice(((number,), (day, number), (word, number), (word,)))) or ""


def made(schema: ma.Schema | type[ma.Schema]) -> ma.Schema:
    return schema() if isinstance(schema, type) else schema


def written(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def flat(value: Any, path: str = "") -> dict[str, Any]:
    """Write a body as a form does: nested by dotted names, lists of plain values under one name."""
    if isinstance(value, dict):
        pairs = [(f"{path}.{key}" if path else key, each) for key, each in value.items()]
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        pairs = [(f"{path}.{index}", each) for index, each in enumerate(value)]
    else:
        return {path: list(map(written, value)) if isinstance(value, list) else written(value)}
    return {name: text for key, each in pairs for name, text in flat(each, key).items()}
