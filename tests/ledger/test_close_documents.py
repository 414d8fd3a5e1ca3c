"""The document of a close against the books of a later day."""

import pytest

from webapp.ledger.closing.documents import CloseVerdict, compare

ROWS = (("Sales", "INCOME", "-1150.00"), ("Motor", "EXPENSE", "350.00"), ("Van", "ASSET", "800.00"))
PROOF = {"reconciliationId": 7, "digest": "d" * 64, "holds": True}
HOLDS, SHOWN, CHANGED = CloseVerdict


def document(
    *, owed="Ada", ages=None, proofs=(PROOF,), difference="0.00", year_end=False, late=None, **changes
):
    rows = [
        {"accountId": place, "name": name, "type": type_, "inScope": True, "closing": closing}
        | changes.get(name, {})
        for place, (name, type_, closing) in enumerate(ROWS, 1)
    ]
    aged = {"side": "RECEIVABLES", "party": owed, "currency": "EUR", "ages": ages or {"UP_TO_30": "20.00"}}
    with_ = [each | {"closing": (late or {}).get(each["name"], each["closing"])} for each in rows]
    return {
        "baseCurrency": "EUR",
        "isYearEnd": year_end,
        "trialBalance": {"WITH": with_, "WITHOUT": rows},
        "aged": [aged],
        "proofs": list(proofs),
        "revaluation": {"state": "STANDS", "difference": difference},
    }


@pytest.mark.parametrize(
    ("now", "verdict", "moved"),
    [
        ({}, HOLDS, {}),
        ({"Motor": {"name": "Cars"}}, HOLDS, {}),
        ({"Motor": {"inScope": False}}, SHOWN, {"result": ("800.00", "1150.00")}),
        (
            {"Van": {"type": "LIABILITY"}},
            SHOWN,
            {"assets": ("800.00", "0.00"), "liabilities": ("0.00", "800.00")},
        ),
        (
            {"owed": "Ben"},
            SHOWN,
            {
                "receivables of Ada, 1 to 30 days, EUR": ("20.00", "0.00"),
                "receivables of Ben, 1 to 30 days, EUR": ("0.00", "20.00"),
            },
        ),
        (
            {"ages": {"UP_TO_60": "20.00"}},
            CHANGED,
            {
                "receivables, 1 to 30 days, EUR": ("20.00", "0.00"),
                "receivables, 31 to 60 days, EUR": ("0.00", "20.00"),
            },
        ),
        (
            {"Motor": {"closing": "351.00"}},
            CHANGED,
            {"result": ("800.00", "799.00"), "Motor": ("350.00", "351.00")},
        ),
        ({"proofs": ()}, CHANGED, {}),
        ({"proofs": ({**PROOF, "holds": False},)}, CHANGED, {}),
        ({"proofs": (PROOF, {**PROOF, "digest": "e" * 64})}, HOLDS, {}),
        ({"difference": "3.10"}, CHANGED, {"revaluation": ("0.00", "3.10")}),
        ({"late": {"Motor": "360.00"}}, HOLDS, {}),
    ],
)
def test_a_close_is_judged_by_what_can_still_change_it(now, verdict, moved):
    found = compare(document(), document(**now))
    assert found.verdict is verdict
    assert {each.figure: (each.frozen, each.now) for each in found.moved} == moved


def test_the_close_of_a_year_is_judged_with_its_adjusting_entries():
    frozen = document(year_end=True)
    assert compare(frozen, document(year_end=True, late={"Motor": "360.00"})).verdict is CHANGED
