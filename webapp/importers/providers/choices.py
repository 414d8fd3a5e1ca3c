"""Which account of a payload is meant, where it has several."""

from __future__ import annotations

from collections.abc import Sequence

from webapp.importers.providers.payloads import listed
from webapp.importers.providers.pushes import PayloadRefusedError, PushLine, Wanted


def account_of(wanted: Wanted, there: Sequence[str]) -> str | None:
    """Choose among the accounts that a payload names; raises PayloadRefusedError where the choice is open.

    >>> account_of(Wanted(known="chk"), ["chk", "cc"]), account_of(Wanted(known="DE89 …"), ["chk"])
    ('chk', 'chk')
    """
    if wanted.asked is not None:
        if there and wanted.asked not in there:
            raise PayloadRefusedError(
                f"This payload has no account {listed([wanted.asked])}; it has {listed(there)}."
            )
        return wanted.asked
    if wanted.known in there:
        return wanted.known
    if len(there) > 1:
        raise PayloadRefusedError(f"This payload has several accounts; name one of {listed(there)}.")
    return there[0] if there else None


def of_currency(wanted: Wanted, lines: Sequence[PushLine]) -> tuple[tuple[PushLine, ...], list[str]]:
    """Keep the lines of the wanted account's currency, and say how many others there are.

    Some providers keep several currencies under one account; in the books each is a feed account of its own.
    """
    if wanted.currency is None or not lines:
        return tuple(lines), []
    kept = tuple(line for line in lines if line.currency == wanted.currency)
    others = sorted({line.currency for line in lines} - {wanted.currency})
    if not kept:
        raise PayloadRefusedError(
            f"This payload is in {', '.join(others)}, and the account is in {wanted.currency}."
        )
    left = len(lines) - len(kept)
    if not left:
        return kept, []
    count = "1 line is" if left == 1 else f"{left:,} lines are"
    return kept, [f"{count} in {', '.join(others)} and belong elsewhere."]
