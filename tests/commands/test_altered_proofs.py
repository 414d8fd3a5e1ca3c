"""Each figure of a saved proof is altered in turn: verifying tells it, or lists its key as one that nothing covers."""

import copy
from io import BytesIO

import pytest

from tests.fixtures.helpers.documents import pdf, sent
from webapp.ledger.canonical import canonical_json
from webapp.ledger.proofs.proof_files import FROZEN, ITEM, OF_FILES, NoProofFileError, named_files, read
from webapp.ledger.proofs.proof_findings import FIGURES, findings, not_covered

CSV = b"Date,Description,Amount\n2026-10-02,Zoe,120.00\n2026-10-12,Out,-40.00\n2026-11-03,Rent,-30.00\n"
LISTS = ("lines", "outstanding", "inTransit")


@pytest.fixture
def proofs(desk, bank):
    """Two proofs of version 2 that follow each other, the second with something outstanding."""
    bank.open("Checking")
    person, fa_id = desk.person, bank.fa_id
    form = {"file": (BytesIO(CSV), "lines.csv"), "faId": str(fa_id)}
    person.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    lines = person.get(f"/api/transactions?faId={fa_id}").json["transactions"]
    desk.confirm(*(each["id"] for each in lines))
    [november] = [each["id"] for each in lines if each["bookedOn"] > "2026-10-31"]
    first = desk.prove("2026-10-31", "80.00", documentId=statement(person, "October"))
    desk.confirm(bank.send("2026-11-04", "-3.00", "On its way"))
    answers = [
        desk.put("2026-11-20", "50.00", documentId=statement(person, "November")),
        desk.clear(cleared=[november]),
        desk.complete(),
    ]
    second = answers[-1].json["reconciliation"]
    assert second["outstanding"]
    assert len(named_files(second)) == 2
    return [first, second]


def statement(person, month):
    return sent(person, pdf(month), f"{month}.pdf").json["document"]["id"]


def leaves(value, path=()):
    """Yield the way to each text, number, truth or nothing within a record, and to each list."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
        return
    yield path
    if isinstance(value, list):
        for place, part in enumerate(value):
            yield from leaves(part, (*path, place))


def others(value):
    """Give what a figure, a day, a text or a list may be altered to, of its own kind and of another."""
    if isinstance(value, bool):
        return [not value, int(value)]
    if isinstance(value, int):
        return [value + 1, -value - 1, str(value), True, None]
    if isinstance(value, str):
        # The last digit, the sign, and the first one; a text that is the same number too.
        return [
            f"{value[:-1]}{'1' if value[-1:] == '0' else '0'}",
            f"-{value}",
            f"1{value}",
            f"{value}0",
            None,
        ]
    if isinstance(value, list):
        return [value[:-1], [*value, value[-1]]] if value else []
    return ["2026-01-01", 1]


def with_value(record, path, value):
    altered = copy.deepcopy(record)
    place = altered
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return altered


def is_told(before, altered):
    """Whether reading or verifying a file with the altered proof says that something is wrong."""
    try:
        found = read(canonical_json([before, altered]))
    except NoProofFileError:
        return True
    return bool(list(findings(found)))


def test_whatever_is_altered_in_a_proof_is_told_or_listed_as_not_covered(proofs, remark):
    before, proof = proofs
    assert list(findings(proofs)) == []
    open_keys = set(not_covered(proofs))
    assert not open_keys & {*FROZEN, *OF_FILES, *FIGURES, "digest"}
    told = untold = 0
    for path in leaves(proof):
        value = proof
        for step in path:
            value = value[step]
        for other in others(value):
            if is_told(before, with_value(proof, path, other)):
                told += 1
                continue
            untold += 1
            names = {path[0], ".".join(map(str, path[:2]))}
            # Items repeat texts of their lines for people; of each of them the digest has these alone.
            is_open = names & open_keys or (path[0] in LISTS and path[-1] not in ITEM)
            assert is_open, (path, value, other)
    remark(f"{told} alterations told, {untold} of keys that are listed as not covered")


def test_each_figure_that_follows_from_the_lines_is_computed_again(proofs):
    """What is not in the digest is no less sure: each of these alone is found as a figure."""
    before, proof = proofs
    for name in FIGURES:
        for other in others(proof[name]):
            found = [each.code for each in findings([before, {**proof, name: other}])]
            assert found == ["figure"], (name, other)
