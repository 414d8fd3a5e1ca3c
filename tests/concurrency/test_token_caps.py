"""However many clients use a token at once, it posts its cap and not one entry more (T9)."""

from collections import Counter

from tests.concurrency.crowds import all_at_once
from tests.fixtures.helpers.replays import everything

CLIENTS, WORKERS, CAP = 16, 4, 10
EACH_MINOR = 2_00


def test_sixteen_clients_of_one_token_post_its_cap_and_no_more(gunicorn, ada, bank, rounds, figure):
    """Half of the times its entries are capped, half of the times its amount."""
    times = rounds(2, 40)
    address = gunicorn(WORKERS)
    found = Counter()
    for turn in range(times):
        caps = {"max_entries_a_day": CAP} if turn % 2 else {"max_amount_a_day_minor": CAP * EACH_MINOR + 1}
        program = ada.with_scopes("read", "confirm", **caps)
        lines = bank.send_many([("2026-03-02", "-2.00", f"Turn {turn}")] * CLIENTS * 2)
        paths = [
            [f"/api/transactions/{line}/confirm" for line in lines[at::CLIENTS]] for at in range(CLIENTS)
        ]
        answers = [answer for each in all_at_once(address, [program.token], paths) for answer in each]
        assert Counter(answer.status for answer in answers) == {200: CAP, 403: len(lines) - CAP}
        assert {answer.body["code"] for answer in answers if answer.status == 403} == {"cap_reached"}
        found.update(answer.status for answer in answers)
    posted = [each for each in everything(ada, "journal-entries", "entries") if each["status"] == "POSTED"]
    assert len(posted) == times * CAP
    figure(
        "T9",
        f"{CLIENTS} clients on one token, {WORKERS} workers, cap {CAP}: {found[200]} posted in {times} turns",
    )
