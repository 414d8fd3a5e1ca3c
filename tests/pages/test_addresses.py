"""Addresses in templates: asked of url_for by the name of a view that there is, and never typed."""

import re

import pytest
from jinja2 import nodes

from tests import tree
from tests.fixtures.helpers.marks import on_sqlite

TEMPLATES = [path for path in tree.files() if path.suffix == ".html" and "templates" in path.parts]
SCRIPTS = [path for path in tree.files() if path.suffix == ".js" and "vendor" not in path.parts]
# An attribute that begins with a slash, and an address that goes on behind what url_for gave.
TYPED = re.compile(r'\s(?!data-key)[a-z-]+="/')
LENGTHENED = re.compile(r'\s(?:href|src|action|formaction|hx-[a-z]+)="\{\{(?:[^}"]|"[^"]*")*\}\}[^"#&{]')
# The key that goes to the search, in the list of all keys.
KEY = {("webapp/templates/_keys.html", "/")}


@pytest.fixture
def parsed(app):
    return {str(path): app.jinja_env.parse(tree.text(path)) for path in TEMPLATES}


@on_sqlite
def test_no_template_types_an_address(parsed):
    in_attributes = [
        path for path in TEMPLATES for shape in (TYPED, LENGTHENED) if shape.search(tree.text(path))
    ]
    in_expressions = {
        (path, each.value)
        for path, template in parsed.items()
        for each in template.find_all(nodes.Const)
        if str(each.value).startswith("/")
    }
    assert not in_attributes
    assert in_expressions == KEY


def test_no_script_types_an_address():
    assert SCRIPTS
    assert not [path for path in SCRIPTS if re.search(r"""["'`]/[a-z]""", tree.text(path))]


def asked(template):
    for call in template.find_all(nodes.Call):
        if getattr(call.node, "name", None) == "url_for" and isinstance(call.args[0], nodes.Const):
            yield call.args[0].value, {each.key for each in call.kwargs}


@on_sqlite
def test_every_address_that_a_template_asks_for_is_there(app, parsed):
    of_views = {
        view: [rule.arguments for rule in app.url_map.iter_rules(view)] for view in app.view_functions
    }
    calls = [(path, *each) for path, template in parsed.items() for each in asked(template)]
    assert len(calls) > 200
    assert not [
        (path, view)
        for path, view, names in calls
        # The books are those of the request.
        if not any(needed <= names | {"books"} for needed in of_views.get(view, ()))
    ]
