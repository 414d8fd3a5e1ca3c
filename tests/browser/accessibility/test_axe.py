"""Every page by axe-core in light, dark and on a phone: no rule of WCAG 2.2 AA and no best practice is broken."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import MODES
from tests.fixtures.helpers.planning import approve, month_from_file, proposed
from tests.fixtures.screens import PAGES

AXE = next((Path(__file__).parents[1] / "vendor").glob("axe-*.min.js"))
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
DARK_PHONE = {**MODES["phone"], "color_scheme": "dark"}
NARROW = {"viewport": {"width": 320, "height": 640}}
NARROW_MODES = {"narrow": NARROW, "dark narrow": {**NARROW, "color_scheme": "dark"}}
GERMAN_MODES = {"german": {**MODES["light"], "locale": "de"}, "german phone": {**DARK_PHONE, "locale": "de"}}
# Words that are two fifths longer, as translations are.
LONGER_MODES = {
    "longer": {**MODES["light"], "locale": "la"},
    "longer phone": {**MODES["phone"], "locale": "la"},
}
# What the short run looks at: the loop, an entry, a proof, a form, a report, a list of choices.
SIX = ("hub", "workspace-line", "entry-edit", "proof", "approval", "profit-and-loss")
# A sheet that is still fading in has other colours, and so has a button while its form waits for an answer.
RUN = """async ([part, tags]) => {
    while (document.querySelector(".htmx-request")) await new Promise(requestAnimationFrame);
    const ending = document.getAnimations().filter((each) => each.effect.getComputedTiming().endTime !== Infinity);
    await Promise.all(ending.map((each) => each.finished.catch(() => null)));
    const { violations } = await axe.run(part, {runOnly: tags, resultTypes: ["violations"]});
    return violations.flatMap(({id, nodes}) => nodes.map((node) => [id, String(node.target), node.failureSummary]));
}"""


def broken_rules(page, part="html"):
    """Run axe-core on a page or a part of it; answers its rules that are broken, each with where and why."""
    # The page's own policy would not let it load a script from here; the debugger may.
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE.read_text())
    return page.evaluate(RUN, [part, TAGS])


@pytest.fixture
def broken():
    return broken_rules


def test_no_page_breaks_a_rule(browse, mara, pseudo, broken, rounds):
    names = rounds(SIX, PAGES)
    found = []
    for mode, options in rounds(
        {"light": MODES["light"]},
        MODES | {"dark phone": DARK_PHONE} | NARROW_MODES | GERMAN_MODES | LONGER_MODES,
    ).items():
        page = browse(mara, **options)
        for name in names:
            page.goto(PAGES[name].format(**vars(mara)))
            found += [(name, mode, *each) for each in broken(page)]
    assert not found


def test_a_plan_and_its_undo_break_no_rule(browse, ben, bank, broken, rounds):
    request = proposed(ben.with_scopes("read", "propose"), *month_from_file(bank), title="October")
    pages = [browse(ben, **MODES[mode]) for mode in rounds(("light",), ("light", "dark", "phone"))]
    found = []
    for page in pages:
        page.goto(f"/proposals?id={request['id']}")
        page.locator(".plan-step summary").first.click()
        found += broken(page)
    approve(ben, request)
    for page in pages:
        page.goto(f"/activity/plans/{request['id']}/undo")
        found += broken(page)
        page.get_by_role("button", name="Show what would be undone").click()
        expect(page.get_by_role("heading", name="acts to undo")).to_be_visible()
        found += broken(page)
    assert not found


@pytest.mark.rare
@pytest.mark.parametrize("mode", ["light", "dark", "phone", "narrow"])
def test_what_opens_on_a_page_breaks_no_rule(browse, mara, broken, mode):
    options = (MODES | NARROW_MODES)[mode]
    visitor = browse(**options)
    visitor.goto("/sign-in")
    found = broken(visitor)
    page = browse(mara, **options)
    page.goto("/journal?q=rent")
    page.locator("#views summary").click()
    found += broken(page, "#views")
    page.get_by_label("Name of the view").fill("Rent")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#views [aria-current]")).to_have_text("Rent")
    page.locator("#views summary").click()
    found += broken(page, "#views")
    page.goto("/reports/overview")
    for table in page.locator("#overview .changes > summary").all():
        table.click()
    found += broken(page)
    page.goto("/journal/new")
    page.get_by_role("combobox", name="Account of line 1").fill("Zeppelin")
    expect(page.get_by_role("option", name="Create “Zeppelin”")).to_be_visible()
    found += broken(page, "main") + broken(page, "#combobox-list")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Create “Zeppelin” as")).to_be_visible()
    found += broken(page, "main") + broken(page, "#combobox-list")
    page.goto("/")
    page.keyboard.press("Control+k")
    expect(page.locator("dialog[open]")).to_have_count(1)
    found += broken(page, "dialog[open]")
    page.keyboard.press("Escape")
    page.evaluate("document.getElementById('sign-in-again').showModal()")
    found += broken(page, "dialog[open]")
    page.goto(PAGES["workspace-line"].format(**vars(mara)))
    page.keyboard.press("x")
    expect(page.locator(".line .box:checked")).to_have_count(1)
    found += broken(page)
    page.locator(".line[aria-current] .line-menu summary").click()
    # What an open menu covers is no target while it is open.
    found += broken(page, ".line-menu[open]")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog[open]")).to_have_count(1)
    found += broken(page)
    page.goto(PAGES["approvals"])
    page.locator(".proposal-check").first.check()
    assert not found + broken(page)
