"""Permissions: the scopes, the roles with their scopes, and the form of API tokens."""

import re
import zlib
from collections.abc import Iterable
from datetime import date, datetime
from typing import Final
from zoneinfo import ZoneInfo

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.texts.words import Words

# With `propose` a token proposes what its other scopes do not allow and its owner's role does; a person decides.
PROPOSE: Final = "propose"
ACT_SCOPES: Final = ("read", "draft", "confirm", "reconcile", "admin")
# What a program may be given; a key that decides on proposals for its owner has nothing else.
PROGRAM_SCOPES: Final = (*ACT_SCOPES, PROPOSE)
APPROVE: Final = "approve"
SCOPES: Final = (*PROGRAM_SCOPES, APPROVE)
# No key has it: people close books, and accountants only where an owner lets them.
CLOSE: Final = "close"
PERSON_SCOPES: Final = (*ACT_SCOPES, CLOSE)

ROLES: Final[dict[str, frozenset[str]]] = {
    "viewer": frozenset({"read"}),
    "accountant": frozenset({"read", CLOSE}),
    "bookkeeper": frozenset({"read", "draft", "confirm", "reconcile", PROPOSE, APPROVE}),
    "owner": frozenset((*SCOPES, CLOSE)),
}

# What people call the rights that the API calls scopes.
RIGHTS: Final = {
    "read": Words("Read"),
    "draft": Words("Write drafts"),
    "confirm": Words("Post"),
    "reconcile": Words("Reconcile"),
    "admin": Words("Administer"),
    PROPOSE: Words("Propose"),
    APPROVE: Words("Approve"),
    CLOSE: Words("Close books"),
}

# What a token is for, the fewest rights first up to all that its owner may, and last what only decides.
PRESETS: Final = {
    "look": ("read",),
    "draft": ("read", "draft"),
    "propose": ("read", PROPOSE),
    "everything": ACT_SCOPES,
    "approve": (APPROVE,),
}

TOKEN_PREFIX: Final = "tie_"  # noqa: S105 — the mark of every token, and no token itself
RANDOM_BYTES: Final = 32

_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BODY_LENGTH: Final = 43  # base62 digits that 32 bytes need
_CHECKSUM_LENGTH: Final = 6  # base62 digits that a CRC-32 needs
_ORGANIZATION: Final = re.compile(r"org_([0-9a-z]{20})")
_TOKEN: Final = re.compile(
    rf"{TOKEN_PREFIX}([0-9A-Za-z]{{{_BODY_LENGTH}}}([0-9a-z]{{20}})?)([0-9A-Za-z]{{{_CHECKSUM_LENGTH}}})"
)


class ScopeNotHeldError(UnprocessableError):
    """A token can only have scopes of its owner's role; choose among those."""

    code = "scope_not_held"


class ApproveAloneError(UnprocessableError):
    """A key that approves may do nothing else; make another key for the rest."""

    code = "approve_alone"


def is_over(last_day: date | None, zone: str, now: datetime) -> bool:
    """Return whether the last day of a membership is over in the time zone of its books.

    >>> from datetime import UTC
    >>> now = datetime(2026, 3, 31, 23, tzinfo=UTC)
    >>> [is_over(date(2026, 3, 31), zone, now) for zone in ("UTC", "Europe/Berlin")], is_over(None, "UTC", now)
    ([False, True], False)
    """
    return last_day is not None and now.astimezone(ZoneInfo(zone)).date() > last_day


def scopes_of_role(role: str) -> frozenset[str]:
    """Return the scopes of a role; an unknown role has none.

    >>> sorted(scopes_of_role("bookkeeper")), sorted(scopes_of_role("stranger"))
    (['approve', 'confirm', 'draft', 'propose', 'read', 'reconcile'], [])
    """
    return ROLES.get(role, frozenset())


def token_scopes(role: str, requested: Iterable[str] | None) -> tuple[str, ...]:
    """Return the scopes of a new token in the published order: the chosen ones, or all of the role.

    A token that may do everything has nothing to propose, so `propose` must be chosen; `approve` is chosen alone.
    Raises ApproveAloneError, or ScopeNotHeldError for an empty choice, an unknown scope, or a scope beyond the role.

    >>> token_scopes("owner", ["confirm", "read", "read"]), token_scopes("viewer", None)
    (('read', 'confirm'), ('read',))
    >>> token_scopes("viewer", ["confirm"])
    Traceback (most recent call last):
    webapp.ledger.scopes.ScopeNotHeldError: A viewer has no scope confirm; choose among read.
    """
    allowed = [scope for scope in SCOPES if scope in scopes_of_role(role)]
    if requested is None:
        return tuple(scope for scope in allowed if scope in ACT_SCOPES)
    chosen = set(requested)
    beyond = sorted(chosen - set(allowed))
    if beyond:
        raise ScopeNotHeldError(
            f"A {role} has no scope {', '.join(beyond)}; choose among {', '.join(allowed)}."
        )
    if not chosen:
        raise ScopeNotHeldError
    if APPROVE in chosen and len(chosen) > 1:
        raise ApproveAloneError(fields={"scopes": [str(ApproveAloneError.__doc__)]})
    return tuple(scope for scope in allowed if scope in chosen)


def preset_scopes(role: str) -> dict[str, tuple[str, ...]]:
    """Return the scopes of each preset that a role can give to a token.

    >>> list(preset_scopes("viewer")), preset_scopes("bookkeeper")["draft"]
    (['look'], ('read', 'draft'))
    """
    allowed = scopes_of_role(role)
    may = {name: scopes for name, scopes in PRESETS.items() if allowed.issuperset(scopes)}
    if "draft" in may:
        may["everything"] = token_scopes(role, None)
    return may


def token_text(random: bytes, organization_id: str) -> str:
    """Write 32 random bytes as a token: `tie_`, 43 digits of base62, the organization, and 6 digits of their CRC-32.

    The checksum tells a mistyped token from a revoked one, and a secret scanner a token from noise. Older tokens, and
    tokens of organizations with another form of id, lack the organization.

    >>> token_text(bytes(32), "org_3ybhn7bwcd386ggnjz8f")
    'tie_00000000000000000000000000000000000000000003ybhn7bwcd386ggnjz8f1VwQUD'
    >>> token_text(bytes(32), "another")
    'tie_00000000000000000000000000000000000000000002CZclj'
    """
    if len(random) != RANDOM_BYTES:
        raise ValueError(len(random))
    organization = _ORGANIZATION.fullmatch(organization_id)
    body = _base62(int.from_bytes(random), _BODY_LENGTH) + (organization[1] if organization else "")
    return f"{TOKEN_PREFIX}{body}{_checksum(body)}"


def is_token(text: str) -> bool:
    """Return whether a text has the form and the checksum of our tokens.

    >>> token = token_text(bytes(range(32)), "another")
    >>> is_token(token), is_token(token[:-1] + "x"), is_token("tie_")
    (True, False, False)
    """
    found = _TOKEN.fullmatch(text)
    return found is not None and _checksum(found[1]) == found[3]


def organization_of(text: str) -> str | None:
    """Return the organization that a token names, so that only its node is queried.

    >>> organization_of(token_text(bytes(32), "org_3ybhn7bwcd386ggnjz8f"))
    'org_3ybhn7bwcd386ggnjz8f'
    >>> organization_of(token_text(bytes(32), "another"))
    """
    found = _TOKEN.fullmatch(text)
    return f"org_{found[2]}" if found is not None and found[2] else None


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _CHECKSUM_LENGTH)


def _base62(number: int, length: int) -> str:
    figures = []
    for _ in range(length):
        number, figure = divmod(number, len(_DIGITS))
        figures.append(_DIGITS[figure])
    return "".join(reversed(figures))


# What a person looks at before everything else of a plan, the gravest first; settings come last.
GRAVE_KINDS: Final = (
    "move_lock_date",
    "move_adjustments_lock",
    "grant_lock_exception",
    "reopen_close",
    "void_journal_entry",
    "take_back_import",
    "remove_table",
    "take_back_revaluation",
    "reopen_reconciliation",
    "accept_reconciliation",
    "write_off",
    "undo_settlement",
    "merge_merchant",
    "separate_merchant",
    "create_rule",
    "update_rule",
    "delete_rule",
    "move_rule",
    "apply_rule",
    "undo_rule_run",
    "invite_member",
    "remove_member",
    "change_role",
    "end_membership",
    "create_token",
    "change_token",
    "update_organization",
    "change_financial_year",
    "update_account",
    "create_feed_account",
    "edit_feed_account",
    "take_table",
    "file_tax_return",
    "withdraw_tax_return",
    "install_tax_pack",
    "update_tax_pack",
    "create_tax_code",
    "update_tax_code",
    "change_close_policy",
    "create_close_step",
    "update_close_step",
    "set_materiality",
    "create_owner",
    "change_owner",
    "connect_bank",
    "change_bank_connection",
    "end_bank_connection",
)
# What no key approves for a person: what is grave, people and keys, settings and connections, filing and closing.
SIGNED_IN_KINDS: Final = frozenset(
    (
        *GRAVE_KINDS,
        "accept_invitation",
        "add_authenticator",
        "add_passkey",
        "adjust_taxes",
        "appropriate",
        "approve_close",
        "change_password",
        "change_person",
        "change_retention",
        "change_webhook",
        "choose_drop_folder",
        "claim_tax_relief",
        "complete_close",
        "create_organization",
        "create_webhook",
        "delete_old_files",
        "end_webhook",
        "link_identity",
        "prepare_close",
        "remove_authenticator",
        "remove_passkey",
        "renew_bank_connection",
        "renew_invitation",
        "renew_recovery_codes",
        "repay_unpaid_tax",
        "reset_second_factor",
        "revoke_token",
        "rotate_webhook",
        "switch_job",
        "switch_webhook",
        "take_back_tax_relief",
        "take_reference_rates",
        "tick_close_step",
        "undo_agent",
        "undo_plan",
        "unlink_identity",
        "untick_close_step",
        "warn_bank_consent",
        "withdraw_invitation",
    )
)
