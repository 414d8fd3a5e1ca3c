"""What is stored, one module per noun."""

from webapp.models.accounts import Account, FeedAccount, Institution, Merchant, Project, ProjectGroup
from webapp.models.audit import (
    IS_EVENT_OF_ACT,
    ActionRequest,
    AuditEvent,
    BoundRow,
    IdempotencyKey,
    Proposal,
    WrittenRow,
)
from webapp.models.base import delete_rows, of_same_organization, refers_to, update_rows
from webapp.models.closing import Close, CloseMark, ClosePolicy, OwnStep, Schedule, SchedulePart
from webapp.models.documents import DeclinedRelation, Document, DocumentFile, DocumentRelation
from webapp.models.feed_lines import (
    BankConnection,
    ConnectedAccount,
    FeedLine,
    FeedPush,
    LineChange,
    ProviderBalance,
    Secret,
)
from webapp.models.imports import BulkTurn, ColumnMapping, Import, ImportLine
from webapp.models.items import DueChange, LinePayment, OwedItem, PaymentPart
from webapp.models.jobs import Job, WebhookDelivery, WebhookEndpoint
from webapp.models.journal_entries import COUNTING, ExchangeRate, JournalEntry, Posting
from webapp.models.organizations import (
    EquityOwner,
    FinancialYear,
    Invitation,
    LockException,
    Membership,
    Organization,
)
from webapp.models.reconciliations import (
    BalanceNote,
    ProofBreak,
    Reconciliation,
    ReconciliationItem,
    StatementDocument,
    TouchedProof,
)
from webapp.models.rules import (
    DocumentSetting,
    Rule,
    RuleContent,
    RuleRun,
    RuleSetting,
    RuleVersion,
    SuggestionDismissal,
)
from webapp.models.settlements import Settlement, SettlementEntry, SettlementPart
from webapp.models.stored_files import InboxFile, StoredFile
from webapp.models.sums import DaySum, LineDaySum, LineMonthSum, MonthSum, RegisterLine
from webapp.models.tax import TaxCode, TaxPack, TaxPart, TaxRate, TaxReturn, TaxStamp
from webapp.models.transactions import LineJoin, Transaction, TransferPair
from webapp.models.users import (
    ApiToken,
    Authenticator,
    BrowserSession,
    ConnectionSecret,
    FamiliarBrowser,
    Identity,
    Passkey,
    PasskeyChallenge,
    RecoveryCode,
    SavedView,
    SignInCounter,
    SignInStep,
    TokenDay,
    User,
)
