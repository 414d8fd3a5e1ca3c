"""What is stored, one module per noun."""

from webapp.models.accounts import Account
from webapp.models.action_requests import ActionRequest, Proposal
from webapp.models.audit_events import OF_ITS_ACT, AuditEvent
from webapp.models.documents import Document, DocumentRelation
from webapp.models.exchange_rates import ExchangeRate
from webapp.models.feed_accounts import FeedAccount, Institution
from webapp.models.feed_lines import FeedBatch, FeedLine, LineChange
from webapp.models.idempotency_keys import IdempotencyKey
from webapp.models.imports import BulkTurn, ColumnMapping, Import, ImportLine
from webapp.models.journal_entries import (
    COUNTING,
    IN_ITS_ENTRY,
    ON_ITS_ACCOUNT,
    JournalEntry,
    Posting,
)
from webapp.models.line_joins import LineJoin
from webapp.models.merchants import Merchant
from webapp.models.organizations import Membership, Organization
from webapp.models.projects import Project, ProjectGroup
from webapp.models.proof_breaks import ProofBreak, TouchedProof
from webapp.models.provider_balances import ProviderBalance
from webapp.models.reconciliations import (
    IN_ITS_RECONCILIATION,
    OF_ITS_FEED,
    Reconciliation,
    ReconciliationItem,
)
from webapp.models.rule_runs import DocumentSetting, RuleRun, RuleSetting
from webapp.models.rules import Rule, RuleContent, RuleVersion
from webapp.models.sessions import BrowserSession, SignInCounter
from webapp.models.suggestion_dismissals import SuggestionDismissal
from webapp.models.sums import DaySum, LineDaySum, LineMonthSum, MonthSum, RegisterLine
from webapp.models.tokens import ApiToken, TokenDay
from webapp.models.transactions import Transaction
from webapp.models.transfer_pairs import TransferPair
from webapp.models.users import OneTimeLink, User

__all__ = [
    "COUNTING",
    "IN_ITS_ENTRY",
    "IN_ITS_RECONCILIATION",
    "OF_ITS_ACT",
    "OF_ITS_FEED",
    "ON_ITS_ACCOUNT",
    "Account",
    "ActionRequest",
    "ApiToken",
    "AuditEvent",
    "BrowserSession",
    "BulkTurn",
    "ColumnMapping",
    "DaySum",
    "Document",
    "DocumentRelation",
    "DocumentSetting",
    "ExchangeRate",
    "FeedAccount",
    "FeedBatch",
    "FeedLine",
    "IdempotencyKey",
    "Import",
    "ImportLine",
    "Institution",
    "JournalEntry",
    "LineChange",
    "LineDaySum",
    "LineJoin",
    "LineMonthSum",
    "Membership",
    "Merchant",
    "MonthSum",
    "OneTimeLink",
    "Organization",
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
    "SignInCounter",
    "SuggestionDismissal",
    "TokenDay",
    "TouchedProof",
    "Transaction",
    "TransferPair",
    "User",
]
