"""Uploaded documents cannot run in our origin (P51), and are nothing but a download under a name that is safe."""

from io import BytesIO
from urllib.parse import unquote

import pytest

from tests.fixtures.helpers.documents import DOCUMENTS, filed, pdf, sent
from tests.security.uploads import FILES, NAMES

# What a browser may be told that a document is: nothing that it runs, styles or draws with scripts.
SAFE = {
    "application/pdf", "application/octet-stream", "text/plain; charset=utf-8",
    "image/png", "image/jpeg", "image/gif", "image/webp", "image/tiff", "image/heic",
}  # fmt: skip


def assert_inert(answer):
    headers = answer.headers
    assert headers["Content-Type"] in SAFE
    assert headers["Content-Disposition"].startswith("attachment;")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] == "no-store"


def test_a_file_is_what_its_bytes_say_or_refused(ben, bank, figure):
    taken = 0
    browser = ben.browser()
    assert len(FILES) >= 40
    for name, data, kind in FILES:
        answer = sent(ben, data=data, name=name)
        if kind is None:
            assert (answer.status_code, answer.json["code"]) == (422, "file_kind"), name
            continue
        taken += 1
        document = answer.json["document"]
        assert document["fileType"] == kind, name
        for download in (
            ben.get(f"{DOCUMENTS}/{document['id']}/file"),
            browser.get(f"/documents/{document['id']}/file"),
        ):
            assert_inert(download)
            assert download.data == data, name
    figure(
        "P51",
        f"{len(FILES)} polyglots and mislabelled files: {taken} taken by their bytes and inert as downloads, "
        f"{len(FILES) - taken} refused",
    )


def test_a_name_is_safe_to_show_and_to_save_under(ben, bank, figure):
    document = sent(ben, data=pdf("named")).json["document"]
    for number, (name, expected) in enumerate(NAMES):
        parts = {"file": (BytesIO(pdf(str(number))), "bill.pdf"), "fileName": name[:255].replace("\0", "")}
        answer = ben.post(DOCUMENTS, data=parts, content_type="multipart/form-data")
        assert answer.status_code == 201, (name, answer.json)
        saved = answer.json["document"]["fileName"]
        assert saved == expected, name
        header = ben.get(f"{DOCUMENTS}/{answer.json['document']['id']}/file").headers["Content-Disposition"]
        told = unquote(header.partition("filename*=UTF-8''")[2]) or header.partition("filename=")[2].strip(
            '"'
        )
        assert told == expected, header
        changed = ben.patch(f"{DOCUMENTS}/{document['id']}", json={"fileName": name[:255].replace("\0", "")})
        assert changed.json["document"]["fileName"] == expected
    figure("P51", f"{len(NAMES)} names with folders, turned letters and controls: all cleaned")


@pytest.mark.parametrize(("name", "saved"), [("../../x.pdf", "x.pdf"), ("a\u202efdp.exe", "afdp.exe.pdf")])
def test_the_senders_own_name_of_a_file_is_cleaned_too(ben, bank, name, saved):
    assert sent(ben, name=name).json["document"]["fileName"] == saved


def test_a_name_without_a_file_is_cleaned(ben, bank):
    assert filed(ben, fileName="../a\u202eb.html")["fileName"] == "ab.html"
