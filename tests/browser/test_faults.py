"""The browser fixture notices what goes wrong in a page without the test asking."""


def test_a_script_error_a_dialog_and_a_visit_elsewhere_are_faults(page, faults):
    page.goto("/healthz")
    page.evaluate("alert('hello')")
    page.evaluate("setTimeout(() => { throw new Error('oops') })")
    page.evaluate("fetch('http://127.0.0.1:9/').catch(() => null)")
    page.wait_for_timeout(100)
    noticed = "\n".join(faults)
    assert "dialog: hello" in noticed
    assert "script error: oops" in noticed
    assert "policy violation connect-src" in noticed
    faults.clear()
