"""Verifying saved proofs without the books: digest, figures, state, and the chain of proofs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import LedgerError
from webapp.ledger.money import Money
from webapp.ledger.proofs.proof_files import FROZEN, HEAD, OF_FILES, document, named_files

# The figures of a proof beside its document, which that document decides.
FIGURES: Final = (
    "clearedBalance",
    "difference",
    "clearedCount",
    "inCount",
    "inSum",
    "outCount",
    "outSum",
)
COVERED: Final = frozenset({*FROZEN, *OF_FILES, HEAD, *FIGURES, "digest", "completedBy"})
NAMED: Final = ("kind", "name")

Proofs = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a proof, with keys for programs and a sentence for people."""

    reconciliation_id: object
    code: str
    message: str

    def as_json(self) -> dict[str, object]:
        """Return the finding as `tieout verify-proof --json` lists it."""
        return {"code": self.code, "message": self.message, "reconciliationId": self.reconciliation_id}


def findings(proofs: Proofs) -> Iterator[Finding]:
    """Find every fault of proofs; none if each is sound and follows the previous proof."""
    for proof in proofs:
        if sha256_hex(canonical_json(document(proof))) != proof["digest"]:
            yield Finding(proof["id"], "digest", f"Proof {proof['id']} does not match its digest.")
        yield from _sums(proof)
        yield from _contradictions(proof)
    yield from _chain(proofs)


def of_files(proofs: Proofs, given: Mapping[str, str]) -> Iterator[Finding]:
    """Find the files that no proof names; `given` maps their names to their SHA-256."""
    named = {digest for proof in proofs for digest in named_files(proof)}
    for name, digest in given.items():
        if digest not in named:
            sentence = f"{name} is none of the files that these proofs name: another one, or an altered one."
            yield Finding(None, "file", sentence)


def missing_files(proofs: Proofs, given: Mapping[str, str]) -> list[str]:
    """List the SHA-256 of files that proofs name but that were not given."""
    return sorted({each for proof in proofs for each in named_files(proof)} - set(given.values()))


def notes(proofs: Proofs) -> Iterator[Finding]:
    """List the proofs that were reopened or broken when they were saved. The digest covers neither."""
    for proof in proofs:
        if _is_reopened(proof):
            by = proof.get("reopenedBy")
            name = f" by {by['name']}" if isinstance(by, dict) and by.get("name") else ""
            sentence = (
                f"Proof {proof['id']} was reopened on {_day(proof.get('reopenedAt'))}{name}"
                f" ({proof.get('reopenReason') or 'no reason'}): it is no longer in force."
            )
            yield Finding(proof["id"], "reopened", sentence)
        elif proof.get("holds") is False:
            broken = proof.get("brokenBy")
            since = f", since {_day(broken.get('at'))}" if isinstance(broken, dict) else ""
            sentence = f"Proof {proof['id']} was broken when it was saved{since}: the books differed from it."
            yield Finding(proof["id"], "broken", sentence)


def without_copies(proofs: Proofs) -> Proofs:
    """Leave out exact copies of proofs."""
    return list({canonical_json(dict(proof)): proof for proof in proofs}.values())


def not_covered(proofs: Proofs) -> list[str]:
    """List the keys of proofs that neither the digest nor its figures decide: they are taken from the file."""
    keys = {key for proof in proofs for key in proof} - COVERED
    people = {
        f"completedBy.{key}"
        for proof in proofs
        if isinstance(proof["completedBy"], dict)
        for key in NAMED
        if key in proof["completedBy"]
    }
    return sorted(keys | people)


def _sums(proof: Mapping[str, Any]) -> Iterator[Finding]:
    """Add up both sides, the lines from the opening balance and the books without outstanding items, and compare."""
    try:
        statement, opening, ledger = (
            _minor(proof[name], proof) for name in ("statementBalance", "openingBalance", "ledgerBalance")
        )
        cleared = [_minor(item["amount"], proof) for item in proof["lines"]]
        lines = sum(cleared)
        outstanding, in_transit = (
            sum(_minor(item["amount"], proof) for item in proof[name])
            for name in ("outstanding", "inTransit")
        )
    except (LedgerError, ArithmeticError, ValueError, TypeError):
        yield Finding(proof["id"], "amount", f"Proof {proof['id']} has an unreadable amount.")
        return
    if opening + lines != statement:
        apart = Money(statement - opening - lines, proof["currency"])
        sentence = f"The lines of proof {proof['id']} leave a difference of {apart} to its statement."
        yield Finding(proof["id"], "difference", sentence)
    if ledger - outstanding + in_transit != statement:
        apart = Money(ledger - outstanding + in_transit - statement, proof["currency"])
        sentence = f"The books of proof {proof['id']} differ from its statement by {apart}."
        yield Finding(proof["id"], "books_differ", sentence)
    figures = _figures(statement, opening, cleared, proof["currency"])
    differing = [key for key in FIGURES if key in proof and not _is_same(proof[key], figures[key])]
    if differing:
        right = ", ".join(f"{key} is {proof[key]} and should be {figures[key]}" for key in differing)
        yield Finding(
            proof["id"], "figure", f"Proof {proof['id']} has figures that its lines do not give: {right}."
        )


def _figures(statement: int, opening: int, cleared: Sequence[int], currency: str) -> dict[str, object]:
    """Compute the figures that follow from a proof's document; an item of 0.00 counts as money in."""
    money_in = [minor for minor in cleared if minor >= 0]
    money_out = [minor for minor in cleared if minor < 0]
    balance = opening + sum(cleared)
    return {
        "clearedBalance": str(Money(balance, currency)),
        "difference": str(Money(statement - balance, currency)),
        "clearedCount": len(cleared),
        "inCount": len(money_in),
        "inSum": str(Money(sum(money_in), currency)),
        "outCount": len(money_out),
        "outSum": str(Money(sum(money_out), currency)),
    }


def _is_same(written: object, right: object) -> bool:
    """Compare strictly: in Python True is 1."""
    return type(written) is type(right) and written == right


def _minor(amount: Any, proof: Mapping[str, Any]) -> int:
    if not isinstance(amount, str) or not isinstance(proof["currency"], str):
        raise TypeError(amount)
    return Money.of(Decimal(amount), proof["currency"]).minor


def _contradictions(proof: Mapping[str, Any]) -> Iterator[Finding]:
    """Find impossible states: completed and reopened at once, holding and broken at once."""
    status, holds = proof.get("status", "COMPLETED"), proof.get("holds")
    reopened = [key for key in ("reopenedAt", "reopenedBy", "reopenReason") if proof.get(key) is not None]
    history = proof.get("history") or []
    is_open = isinstance(history, list) and any(
        isinstance(each, dict) and each.get("repair") is None for each in history
    )
    faults = []
    if status not in ("COMPLETED", "REOPENED"):
        faults.append(f"its status is {status}")
    if status == "COMPLETED" and reopened:
        faults.append(f"its status is COMPLETED, and it has {' and '.join(reopened)}")
    if status == "REOPENED" and (len(reopened) < len(("at", "by", "reason")) or holds is not None):
        faults.append("its status is REOPENED, but the day, the person or the reason is missing, or it holds")
    if holds is True and (proof.get("brokenBy") is not None or is_open):
        faults.append("it holds, and there is a cause that broke it")
    if faults:
        yield Finding(proof["id"], "state", f"Proof {proof['id']} contradicts itself: {'; '.join(faults)}.")


def _is_reopened(proof: Mapping[str, Any]) -> bool:
    return proof.get("status") == "REOPENED" or proof.get("reopenedAt") is not None


def _day(instant: object) -> str:
    return instant[:10] if isinstance(instant, str) else "an unknown day"


def _chain(proofs: Iterable[Mapping[str, Any]]) -> Iterator[Finding]:
    """Find proofs of one account that do not follow the previous proof, in the order of their days.

    Reopened proofs are in no chain, and neither are earlier copies of them.
    """
    proofs = list(proofs)
    reopened = {proof["digest"] for proof in proofs if _is_reopened(proof)}
    before: dict[object, Mapping[str, Any]] = {}
    for proof in sorted(proofs, key=lambda each: str(each["statementDate"])):
        if proof["digest"] in reopened:
            continue
        account = str(proof["organizationId"]), str(proof["faId"])
        last = before.get(account)
        if last is not None and proof["previousDigest"] != last["digest"] != proof["digest"]:
            sentence = f"Proof {proof['id']} does not follow proof {last['id']}."
            yield Finding(proof["id"], "proof_chain", sentence)
        before[account] = proof
