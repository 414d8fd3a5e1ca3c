"""What is stored, one module per noun."""

from webapp.models.access.financial_years import FinancialYear
from webapp.models.access.invitations import Invitation
from webapp.models.access.organizations import Membership, Organization
from webapp.models.access.sessions import BrowserSession, FamiliarBrowser, SignInCounter
from webapp.models.access.tokens import ApiToken, TokenDay
from webapp.models.access.users import User
from webapp.models.accounts.accounts import Account
from webapp.models.accounts.feed_accounts import FeedAccount, Institution
from webapp.models.accounts.merchants import Merchant
from webapp.models.accounts.projects import Project, ProjectGroup
from webapp.models.audit.action_requests import ActionRequest, Proposal
from webapp.models.audit.audit_events import IS_EVENT_OF_ACT, AuditEvent
from webapp.models.audit.idempotency_keys import IdempotencyKey
from webapp.models.base import delete_rows, of_same_organization, refers_to, update_rows
from webapp.models.documents import DeclinedRelation, Document, DocumentFile, DocumentRelation
from webapp.models.items.items import OwedItem
from webapp.models.items.payments import LinePayment, PaymentPart
from webapp.models.journal.exchange_rates import ExchangeRate
from webapp.models.journal.journal_entries import (
    COUNTING,
    JournalEntry,
    Posting,
)
from webapp.models.reconciliation.proof_breaks import ProofBreak, TouchedProof
from webapp.models.reconciliation.reconciliations import (
    Reconciliation,
    ReconciliationItem,
)
from webapp.models.reconciliation.statement_documents import StatementDocument
from webapp.models.rules.rules import Rule, RuleContent, RuleVersion
from webapp.models.rules.runs import DocumentSetting, RuleRun, RuleSetting
from webapp.models.rules.suggestion_dismissals import SuggestionDismissal
from webapp.models.stored_files import InboxFile, StoredFile
from webapp.models.sums import DaySum, LineDaySum, LineMonthSum, MonthSum, RegisterLine
from webapp.models.transactions.feed_lines import FeedLine, FeedPush, LineChange
from webapp.models.transactions.imports import BulkTurn, ColumnMapping, Import, ImportLine
from webapp.models.transactions.line_joins import LineJoin
from webapp.models.transactions.provider_balances import ProviderBalance
from webapp.models.transactions.settlements import Settlement, SettlementEntry, SettlementPart
from webapp.models.transactions.transactions import Transaction
from webapp.models.transactions.transfer_pairs import TransferPair

__all__ = [
    "COUNTING",
    "IS_EVENT_OF_ACT",
    "Account",
    "ActionRequest",
    "ApiToken",
    "AuditEvent",
    "BrowserSession",
    "BulkTurn",
    "ColumnMapping",
    "DaySum",
    "DeclinedRelation",
    "Document",
    "DocumentFile",
    "DocumentRelation",
    "DocumentSetting",
    "ExchangeRate",
    "FamiliarBrowser",
    "FeedAccount",
    "FeedLine",
    "FeedPush",
    "FinancialYear",
    "IdempotencyKey",
    "Import",
    "ImportLine",
    "InboxFile",
    "Institution",
    "Invitation",
    "JournalEntry",
    "LineChange",
    "LineDaySum",
    "LineJoin",
    "LineMonthSum",
    "LinePayment",
    "Membership",
    "Merchant",
    "MonthSum",
    "Organization",
    "OwedItem",
    "PaymentPart",
    "Posting",
    "Project",
    "ProjectGroup",
    "ProofBreak",
    "Proposal",
    "ProviderBalance",
    "Reconciliation",
    "ReconciliationItem",
    "RegisterLine",
    "Rule",
    "RuleContent",
    "RuleRun",
    "RuleSetting",
    "RuleVersion",
    "Settlement",
    "SettlementEntry",
    "SettlementPart",
    "SignInCounter",
    "StatementDocument",
    "StoredFile",
    "SuggestionDismissal",
    "TokenDay",
    "TouchedProof",
    "Transaction",
    "TransferPair",
    "User",
    "delete_rows",
    "of_same_organization",
    "refers_to",
    "update_rows",
]
