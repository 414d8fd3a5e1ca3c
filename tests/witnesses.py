"""Independent witnesses: what Beancount and hledger make of a book that we wrote for them."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from collections import defaultdict
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from beancount import loader
from beancount.core.data import Transaction

from webapp.exporters.names import BESIDE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

PATIENCE_SECONDS = 120
Balances = dict[tuple[str, str], Decimal]


def of_beancount(text: str) -> Balances:
    """Let Beancount check a file, balance directives and all, and add up its accounts."""
    entries, errors, _ = loader.load_string(text)
    assert errors == []
    balances: Balances = defaultdict(Decimal)
    for entry in entries:
        if isinstance(entry, Transaction):
            for posting in entry.postings:
                balances[posting.account, posting.units.currency] += posting.units.number
    return standing(balances)


def of_hledger(text: str, tmp_path: Path) -> Balances:
    """Let hledger check a file, strictly and with its assertions, and read its balances."""
    path = tmp_path / "book.journal"
    path.write_text(text, encoding="utf-8")
    _hledger(path, "check", "accounts", "commodities", "ordereddates", "assertions")
    written = _hledger(
        path,
        "balance",
        "--flat",
        "--no-total",
        "--no-elide",
        "--empty",
        "--layout=bare",
        "--output-format=csv",
    )
    rows = csv.DictReader(io.StringIO(written))
    return standing(
        {(row["account"], row["commodity"]): Decimal(row["balance"]) for row in rows if row["commodity"]}
    )


def _hledger(path: Path, *words: str) -> str:
    program = shutil.which("hledger")
    assert program, "Tests need hledger; install Debian's package."
    done = subprocess.run(  # noqa: S603  (our own words)
        [program, "-f", str(path), *words],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def of_entries(entries: Iterable[Mapping[str, Any]], names: Mapping[int, str]) -> Balances:
    """Add up what our own public entries say; a mirror that no price can say stands beside its account."""
    balances: Balances = defaultdict(Decimal)
    for entry in entries:
        if entry["status"] == "DRAFT":
            continue
        for leg in entry["postings"]:
            amount, base = Decimal(leg["amount"]), Decimal(leg["amountBase"])
            name = names[leg["accountId"]]
            balances[name, leg["currency"]] += amount
            if leg["currency"] != entry["baseCurrency"] and amount * base <= 0:
                balances[f"{name}:{BESIDE}", entry["baseCurrency"]] += base
    return standing(balances)


def standing(balances: Mapping[tuple[str, str], Decimal]) -> Balances:
    return {key: amount for key, amount in balances.items() if amount}
