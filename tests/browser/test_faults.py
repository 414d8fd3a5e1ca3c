"""The browser fixture notices what goes wrong in a page without the test asking."""


def test_a_script_error_a_dialog_and_a_visit_elsewhere_are_faults(page, faults):
    page.goto("/healthz")
    page.evaluate("alert('hello')")
    with page.expect_event("pageerror"):
        page.evaluate("setTimeout(() => { throw new Error('oops') })")
    with page.expect_console_message(lambda message: "policy violation" in message.text):
        page.evaluate("fetch('http://127.0.0.1:9/').catch(() => null)")
    noticed = "\n".join(faults)
    assert "dialog: hello" in noticed
    assert "script error: oops" in noticed
    assert "policy violation connect-src" in noticed
    faults.clear()
