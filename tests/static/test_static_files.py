"""Static files: kept for a year under a name with their hash, so that a warm visit asks for at most two things more."""

import gzip
import re

import pytest
from flask import Flask

from tests.fixtures.helpers.marks import on_sqlite
from webapp.web.static_files import StaticFiles, register_static_files

STYLE = "body { color: black; background: url(img/dot.svg#a) }\n" * 20
MOST_FURTHER = 2
PLACES = ("/journal", "/reports/trial-balance", "/imports/new", "/rules", "/settings", "/")
ASKED = """performance.getEntriesByType("resource").filter((each) => each.transferSize > 0).map((each) => each.name)"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "dot.svg").write_text("<svg/>")
    (tmp_path / "app.css").write_text(STYLE)
    return tmp_path


def visitor(folder):
    app = Flask("toy", static_folder=str(folder), static_url_path="/static")
    register_static_files(app)
    return app.test_client()


def name_of(folder, plain_name):
    return StaticFiles(folder).hashed(plain_name)


def test_a_changed_file_has_another_address_and_the_old_one_is_gone(folder):
    before = name_of(folder, "app.css")
    assert re.fullmatch(r"app\.[0-9a-f]{12}\.css", before)
    (folder / "app.css").write_text(STYLE + "p { color: red }\n")
    assert name_of(folder, "app.css") != before
    assert visitor(folder).get(f"/static/{before}").status_code == 404


def test_a_changed_picture_changes_the_style_sheet_that_names_it(folder):
    before = name_of(folder, "app.css")
    sent = visitor(folder).get(f"/static/{before}").text
    assert f"url({name_of(folder, 'img/dot.svg')}#a)" in sent
    (folder / "img" / "dot.svg").write_text("<svg><g/></svg>")
    assert name_of(folder, "app.css") != before


def test_a_changed_script_changes_the_scripts_that_import_it(folder):
    (folder / "img" / "lines.js").write_text("export const lines = [];\n")
    (folder / "app.js").write_text('import { lines } from "./img/lines.js";\n')
    before = name_of(folder, "app.js")
    sent = visitor(folder).get(f"/static/{before}").text
    assert f'from "./{name_of(folder, "img/lines.js")}"' in sent
    (folder / "img" / "lines.js").write_text("export const lines = [1];\n")
    assert name_of(folder, "app.js") != before


@pytest.mark.parametrize("takes", ["gzip", "identity", "gzip;q=0"])
def test_a_file_is_compressed_for_those_who_take_it(folder, takes):
    answer = visitor(folder).get(f"/static/{name_of(folder, 'app.css')}", headers={"Accept-Encoding": takes})
    is_packed = takes == "gzip"
    assert (answer.headers.get("Content-Encoding") == "gzip") is is_packed
    data = gzip.decompress(answer.data) if is_packed else answer.data
    assert b"color: black" in data
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Accept-Encoding" in answer.headers["Vary"]


def test_a_name_without_a_hash_is_asked_for_again(folder):
    answer = visitor(folder).get("/static/app.css")
    assert answer.headers["Cache-Control"] == "no-cache"
    again = visitor(folder).get("/static/app.css", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert visitor(folder).get("/static/../app.css").status_code == 404


@on_sqlite
def test_pages_are_compressed_with_a_length_that_changes_and_secrets_are_not(ada):
    browser, takes = ada.browser(), {"Accept-Encoding": "gzip"}
    pages = [browser.get("/", headers=takes) for _ in range(12)]
    assert {page.headers["Content-Encoding"] for page in pages} == {"gzip"}
    assert len({len(page.data) for page in pages}) > 1
    assert b"</html>" in gzip.decompress(pages[0].data)
    assert len(pages[0].data) < len(browser.get("/").data) / 3
    invited = {"name": "Eve", "email": "eve@example.org", "role": "viewer"}
    made = browser.post("/settings/members", headers=takes, data=invited)
    assert "Content-Encoding" not in made.headers
    link = re.search(r"/join/[\w-]+", made.text)[0]
    assert "Content-Encoding" not in browser.get(link, headers=takes).headers
    assert "Content-Encoding" not in browser.get("/api/accounts", headers=takes).headers


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
