"""A warm visit: a browser that has seen pages of a kind asks for the page, and for at most two things more."""

from tests.fixtures.helpers.marks import on_sqlite

MOST_FURTHER = 2
PLACES = ("/journal", "/reports/trial-balance", "/imports/new", "/rules", "/settings", "/")
ASKED = """performance.getEntriesByType("resource").filter((each) => each.transferSize > 0).map((each) => each.name)"""


def further_requests(page, place):
    page.goto(place)
    page.wait_for_load_state("networkidle")
    return page.evaluate(ASKED)


@on_sqlite
def test_a_warm_visit_is_the_page_and_at_most_two_requests(browse, ben):
    page = browse(ben)
    assert len(further_requests(page, "/")) > MOST_FURTHER
    further_requests(page, "/rules")
    for place in PLACES:
        asked = further_requests(page, place)
        assert len(asked) <= MOST_FURTHER, (place, asked)
