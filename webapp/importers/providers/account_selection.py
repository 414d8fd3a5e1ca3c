"""The choice of one account, and of one currency, in a payload."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.importers.providers.payloads import listed
from webapp.importers.providers.pushes import AccountSelector, PayloadRefusedError, PushLine


def select_account(selector: AccountSelector, accounts: Sequence[str]) -> str | None:
    """Choose one of the accounts in a payload; raises PayloadRefusedError if several are possible.

    >>> select_account(AccountSelector(recorded="chk"), ["chk", "cc"])
    'chk'
    >>> select_account(AccountSelector(recorded="DE89 …"), ["chk"])
    'chk'
    """
    if selector.requested is not None:
        if accounts and selector.requested not in accounts:
            raise PayloadRefusedError(
                f"This payload has no account {listed([selector.requested])}; it has {listed(accounts)}."
            )
        return selector.requested
    if selector.recorded in accounts:
        return selector.recorded
    if len(accounts) > 1:
        raise PayloadRefusedError(f"This payload has several accounts; name one of {listed(accounts)}.")
    return accounts[0] if accounts else None


def of_currency(
    selector: AccountSelector, lines: Sequence[PushLine]
) -> tuple[tuple[PushLine, ...], list[str]]:
    """Select the lines in the account's currency, with a warning about others.

    Some providers have several currencies in one account; in the books each is a feed account of its own.
    """
    if selector.currency is None or not lines:
        return tuple(lines), []
    selected = tuple(line for line in lines if line.currency == selector.currency)
    others = sorted({line.currency for line in lines} - {selector.currency})
    if not selected:
        raise PayloadRefusedError(
            f"This payload is in {', '.join(others)}, and the account is in {selector.currency}."
        )
    left = len(lines) - len(selected)
    if not left:
        return selected, []
    count = "1 line is" if left == 1 else f"{left:,} lines are"
    return selected, [f"{count} in {', '.join(others)} and not imported into this account."]
