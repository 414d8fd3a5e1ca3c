"""What an edit answers of a line says when it changed, as the next look at it does."""

import pytest

from tests.fixtures.feeds import line

pytestmark = pytest.mark.both


def test_an_edit_answers_the_instant_at_which_the_line_changed(ada, bank, feed):
    feed.push(added=[line()])
    path = f"/api/transactions/{feed.one()['id']}"
    before = ada.get(path).json["transaction"]["updatedAt"]
    for account in ("Food", "Tea"):
        edited = ada.patch(path, json={"accountId": bank.account(account)}).json["transaction"]
        assert edited["updatedAt"] == ada.get(path).json["transaction"]["updatedAt"] > before
        before = edited["updatedAt"]
        ada.post(f"{path}/confirm")
        before = ada.get(path).json["transaction"]["updatedAt"]
