"""The workspace as it is answered: what was typed stays, a tick leaves its line as it was, years are told apart."""

import re

from tests.marks import on_sqlite


@on_sqlite
def test_a_split_that_does_not_add_up_keeps_what_was_typed(ada, bank, books):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    travel, rent = books.account_id("Travel"), books.account_id("Rent")
    answer = ada.browser().post(
        f"/transactions/{line}",
        data={
            "splits.0.amount": "-60.00",
            "splits.0.accountId": str(travel),
            "splits.1.amount": "-3O.00",
            "splits.1.accountId": str(rent),
        },
    )
    assert answer.status_code == 422
    form = answer.text.partition('class="line-form"')[2].partition("</form>")[0]
    assert 'value="-60.00"' in form
    assert 'value="-3O.00"' in form
    assert form.count(f'<option value="{travel}" selected>') == 1
    assert form.count(f'<option value="{rent}" selected>') == 1


@on_sqlite
def test_a_tick_keeps_the_fields_of_the_current_line_only(ada, bank):
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    ada.put(
        "/api/reconciliations/accounts/1/draft",
        json={"statementDate": "2026-03-31", "statementBalance": "-100.00", "keepAsNew": False},
    )
    headers = {"HX-Request": "true", "HX-Target": f"tbody#line-{line}"}

    def ticked(**form):
        return ada.browser().post("/reconciliations/1/lines", headers=headers, data=form).text

    assert 'name="accountId"' not in ticked(cleared=line)
    assert 'name="accountId"' in ticked(uncleared=line, isCurrent="true")


@on_sqlite
def test_the_workspace_names_the_year_where_its_days_leave_this_one(ada, bank):
    bank.send_many([("2024-12-30", "-1.00", "Coffee"), ("2025-01-02", "-2.00", "Tea")])
    assert re.findall(
        r'class="band">\s*<tr><td colspan="6"><b>(\d+)', ada.browser().get("/feeds/1").text
    ) == [
        "2025",
        "2024",
    ]
