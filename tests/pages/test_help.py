"""The pages of help: one for each task, found from where the task is done, and what to try in the demo."""

import re

import pytest
from markupsafe import escape

from webapp.pages.help import TASKS

PLACES = {
    "/imports/new": "import",
    "/transfers": "transfers",
    "/rules": "rules",
    "/documents": "receipts",
    "/journal": "corrections",
    "/proposals": "approvals",
    "/settings/exchange-rates": "currencies",
    "/settings/lock-date": "lock",
    "/settings/files": "files",
    "/reports/trial-balance": "reports",
    "/owed": "owed",
}
LINK = re.compile(r'href="(/[^"#]*)"')


def test_every_task_has_a_page_and_its_links_lead_somewhere(ada):
    pages = ada.browser()
    listed = LINK.findall(pages.get("/help").text)
    assert {f"/help/{slug}" for slug in TASKS} <= set(listed)
    followed = set()
    for slug, task in TASKS.items():
        text = pages.get(f"/help/{slug}").text
        assert f"<h1>{escape(task.title)}</h1>" in text
        followed |= set(LINK.findall(text.partition("<main")[2].partition("</main>")[0]))
    assert {link: pages.get(link).status_code for link in followed} == dict.fromkeys(followed, 200)
    assert pages.get("/help/nothing").status_code == 404


@pytest.mark.parametrize(("place", "slug"), PLACES.items())
def test_help_is_linked_from_where_the_task_is_done(ada, place, slug):
    main = ada.browser().get(place).text.partition("<main")[2]
    assert f'href="/help/{slug}"' in main


def test_only_the_demo_names_what_to_try(ada):
    assert "/help/what-to-try" not in ada.browser().get("/help").text
    assert "/help/what-to-try" not in ada.browser().get("/").text
