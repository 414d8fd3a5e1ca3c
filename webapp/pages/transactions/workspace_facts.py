"""What the workspace of a bank account asks the books for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from webapp import queries
from webapp.ledger.chart import Role
from webapp.ledger.proofs.covered_months import in_one_word
from webapp.pages.transactions import split_forms
from webapp.queries.items.payment_choices import LinePayments
from webapp.queries.transactions.line_filters import WorkspaceFilters
from webapp.queries.transactions.workspaces import AccountOfLine
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import organization_id
from webapp.web.rendering import wording
from webapp.web.rendering.htmx import is_htmx
from webapp.web.rendering.periods import with_counting_merchant

if TYPE_CHECKING:
    from webapp.ledger.proofs.covered_months import CoveredMonth
    from webapp.models import Document, FeedAccount, Transaction
    from webapp.queries.common.feed_currencies import Feed
    from webapp.queries.common.paging import Page
    from webapp.queries.documents.candidates import CandidateDocument
    from webapp.queries.imports.alibis import AlibiRecord
    from webapp.queries.reconciliation.hub import AnchorRecord, HubRecord
    from webapp.queries.reconciliation.next_statements import NextStatement
    from webapp.queries.reconciliation.panels import Panel
    from webapp.queries.rules.line_reasons import LineReasons
    from webapp.queries.suggestions.document_bookings import DocumentBooking
    from webapp.queries.transactions.line_filters import OpenDraft
    from webapp.queries.transactions.named_lines import NamedSplit
    from webapp.queries.transactions.workspaces import WorkspaceLine

STRIP_MONTHS = 12


def of_taxes() -> set[int]:
    """Find the accounts of taxes, on which nobody writes a part himself."""
    return {each.id for each in queries.tax.packs.accounts(organization_id()).values()}


class WorkspaceFacts:
    """What the parts of a workspace show, asked of the books at most once, and only where a part needs it."""

    def __init__(
        self,
        fa_id: int,
        query: Mapping[str, Any],
        parts: Collection[str],
        *,
        account: HubRecord | None = None,
        asked: Transaction | None = None,
        typed: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Take what an address asks for, or the one line that is asked for with its splits as they were typed.

        `account` is the account as the hub shows it, where it is read already.
        """
        self._fa_id, self._query, self._parts, self._account = fa_id, query, parts, account
        self._asked, self._typed = asked, typed

    @cached_property
    def feed_account(self) -> FeedAccount:
        """The account as it is stored."""
        return queries.accounts.feed_accounts.get(organization_id(), self._fa_id)

    @cached_property
    def account(self) -> HubRecord:
        """The account as the hub shows it."""
        if self._account is not None:
            return self._account
        hub = self._hub if "head" in self._parts else ()
        shown = next((each for each in hub if each.fa_id == self._fa_id), None)
        return shown or queries.reconciliation.hub.account(organization_id(), self._fa_id)

    @cached_property
    def _hub(self) -> list[HubRecord]:
        return queries.reconciliation.hub.accounts(organization_id())

    @cached_property
    def account_of_line(self) -> AccountOfLine:
        """What a line alone shows of its account."""
        feed_account = self._feeds[self._fa_id]
        return AccountOfLine(feed_account.id, feed_account.currency, self._draft)

    @cached_property
    def _feeds(self) -> Mapping[int | None, Feed]:
        return queries.common.feed_currencies.of_books(organization_id())

    @cached_property
    def _draft(self) -> OpenDraft | None:
        return queries.transactions.line_filters.open_draft(organization_id(), self._fa_id)

    @cached_property
    def filters(self) -> WorkspaceFilters:
        """The tab and the filters of the list."""
        asked = filters_of(self._query, self._query["show"] or ("statement" if self._draft else "all"))
        return queries.transactions.line_filters.searched(organization_id(), self._fa_id, asked)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of lines behind each tab."""
        return queries.transactions.tab_counts.of_account(
            organization_id(), self.account, self.filters, self._draft
        )

    @cached_property
    def _found(self) -> Page[WorkspaceLine]:
        after = paging.decode(self.filters.cursor, "di")
        return queries.transactions.workspaces.lines(
            organization_id(),
            self._fa_id,
            self.filters,
            self._draft,
            self._feeds,
            current_id=self._query["line"],
            after=after,
            limit=self._query["limit"],
        )

    @cached_property
    def lines(self) -> Sequence[WorkspaceLine]:
        """The lines of the page, newest first."""
        return self._found.items

    @cached_property
    def page(self) -> dict[str, Any]:
        """How many lines are shown, how many there are, and where the next ones begin."""
        return {
            "shown": len(self._found.items),
            "total": self.counts[self.filters.show],
            "next_cursor": paging.encode(self._found.next_key),
        }

    @cached_property
    def line(self) -> WorkspaceLine | None:
        """The line that is asked for, else the current one among the lines."""
        if self._asked is not None:
            return queries.transactions.workspaces.line(
                self._asked, self._draft, self._feeds, current_id=self._query["line"]
            )
        if "lines" not in self._parts:
            return None
        return next((line for line in self._found.items if line.id == self._query["line"]), None)

    @cached_property
    def split_rows(self) -> list[Mapping[str, Any]]:
        """The rows of the split form of the current line."""
        if self._typed:
            return list(self._typed)
        if self.line is None:
            return []
        charges_account_id = None
        if (self.line.details or {}).get("charges"):
            charges_account_id = queries.accounts.accounts.by_role(organization_id(), Role.BANK_CHARGES).id
        taxes = of_taxes() if self.line.splits else ()
        return [*split_forms.of_line(self.line, charges_account_id, taxes)]

    @cached_property
    def rest(self) -> split_forms.Rest | None:
        """What the rows of the split form leave of the current line."""
        return split_forms.rest(self.line.amount, self.split_rows) if self.line else None

    @cached_property
    def why(self) -> LineReasons | None:
        """The reasons for the entry of the line (rules and suggestions), if they are shown."""
        line = self._edited("why")
        return queries.rules.line_reasons.reasons(line) if line else None

    @cached_property
    def description(self) -> str | None:
        """The description of the line in the books, if it is edited."""
        line = self._edited("description")
        return queries.transactions.shown_lines.description_of(line) if line else None

    @cached_property
    def candidates(self) -> Sequence[CandidateDocument]:
        """The documents that may belong to the line, if its documents are shown."""
        line = self._edited("documents")
        return queries.documents.candidates.documents_of_line(line) if line else ()

    @cached_property
    def bookings(self) -> Mapping[int, DocumentBooking]:
        """How the documents of the line would split it, if they are shown, by their ids."""
        line = self._edited("documents")
        if line is None or self.line is None:
            return {}
        of = queries.documents
        attached = [of.documents.get(organization_id(), each.id) for each in self.line.documents]
        return {each.id: queries.suggestions.document_bookings.booking(each, line) for each in attached}

    @cached_property
    def has_file(self) -> bool:
        """Whether the file that brought the line is kept."""
        if self.line is None:
            return False
        line = queries.transactions.transactions.get(organization_id(), self.line.id)
        bank_files = queries.imports.bank_files
        file = bank_files.record(bank_files.of_line(line))
        return file is not None and file.is_kept

    @cached_property
    def payments(self) -> LinePayments | None:
        """What the line may pay, if that is shown."""
        line = self._edited("payments")
        return queries.items.payment_choices.of_line(line) if line else None

    def _edited(self, part: str) -> Transaction | None:
        """Give the line as it is stored, if this part of it is open."""
        if self.line is None or self._query["edit"] != part:
            return None
        return queries.transactions.transactions.get(organization_id(), self.line.id)

    @cached_property
    def choices(self) -> dict[str, Any]:
        """The choices for the fields of the line as it is and as it was typed, and of the filters."""
        parts: list[WorkspaceLine | NamedSplit] = [self.line, *(self.line.splits or ())] if self.line else []
        chosen = [*(part.account_id for part in parts), *(row["account_id"] for row in self._typed)]
        chosen += [part.account_id for each in self.bookings.values() for part in each.splits]
        of = queries.accounts.choices
        accounts = of.chosen if is_htmx() else of.accounts
        # Of a page in parts, only these show them.
        has_codes = "dock" in self._parts or self._query["edit"] == "splits"
        has_groups = "filters" in self._parts
        return {
            # Who asks for a part has scripts, whose one list for the page has the accounts that are not chosen.
            "is_shared": is_htmx(),
            "accounts": accounts(organization_id(), chosen=chosen),
            "merchants": of.merchants(organization_id()),
            "projects": of.projects(organization_id()),
            "codes": wording.code_choices(queries.tax.codes.in_use(organization_id())) if has_codes else [],
            "project_groups": of.project_groups(organization_id()) if has_groups else [],
        }

    @cached_property
    def neighbours(self) -> dict[str, Any]:
        """The accounts beside this one."""
        return neighbours(self._hub, self._fa_id)

    @cached_property
    def panel(self) -> Panel | None:
        """The figures of the open reconciliation."""
        return queries.reconciliation.panels.panel(self.feed_account) if self.account.draft else None

    @cached_property
    def coverage(self) -> ShownCoverage:
        """The coverage of the account, as many months as its strip shows."""
        proofs = queries.reconciliation.proof_lists.covering(self.feed_account)
        found = queries.imports.coverage.record(self.feed_account, proofs)
        months = found.months[STRIP_MONTHS - 1 :: -1]
        return ShownCoverage(in_one_word(months), months, found.alibi)

    @cached_property
    def statement(self) -> Document | None:
        """The statement that is attached to the open reconciliation."""
        draft = self.account.draft
        if draft is None:
            return None
        return queries.imports.statement_files.document_of(draft.id, organization_id())

    @cached_property
    def next_statement(self) -> NextStatement | None:
        """The statement to reconcile next, while no reconciliation is open."""
        return None if self.account.draft else next_statement(self.feed_account, self.account.anchor)


def next_statement(feed_account: FeedAccount, anchor: AnchorRecord | None) -> NextStatement | None:
    """The statement to reconcile after the newest proof, as the bank's files state it."""
    today = queries.access.organizations.today(organization_id(), requests.now())
    after = anchor.statement_date if anchor is not None else None
    return queries.reconciliation.next_statements.next_statement(feed_account, after, today)


def filters_of(query: Mapping[str, Any], show: str) -> WorkspaceFilters:
    """The filters that an address asks for, in a tab."""
    names = ("q", "from_", "to", "cursor", "project_id", "project_group_id", "org_merchant_id")
    asked = with_counting_merchant(query)
    return WorkspaceFilters(show, *(asked[each] for each in names))


class ShownCoverage(NamedTuple):
    """The newest months of an account's coverage, oldest first, and the most urgent of them in one word."""

    status: str
    months: list[CoveredMonth]
    alibi: AlibiRecord | None


def filters_query(filters: WorkspaceFilters) -> dict[str, str]:
    """The filters in use, as parameters of the URL."""
    parameters = {
        "show": filters.show,
        "q": filters.q,
        "from": filters.from_date,
        "to": filters.to_date,
        "projectId": filters.project_id,
        "projectGroupId": filters.project_group_id,
        "orgMerchantId": filters.org_merchant_id,
    }
    return {name: str(value) for name, value in parameters.items() if value}


def neighbours(hub: list[Any], fa_id: int) -> dict[str, Any]:
    """The accounts before and after this one by name, and the next that is not reconciled."""
    by_name = sorted(hub, key=lambda account: (account.account_name.casefold(), account.fa_id))
    at = next(index for index, account in enumerate(by_name) if account.fa_id == fa_id)
    later = [*by_name[at + 1 :], *by_name[:at]]
    return {
        "previous": by_name[at - 1] if at else None,
        "next": by_name[at + 1] if at + 1 < len(by_name) else None,
        "waiting": next((each for each in later if each.status != "reconciled"), None),
    }
