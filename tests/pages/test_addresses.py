"""Addresses in templates: asked of url_for by the name of a view that there is, and never typed."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import nodes
from werkzeug.routing import BuildError

from tests import tree
from tests.fixtures.helpers.marks import on_sqlite
from webapp.schemas.fields import LARGEST_ID

TEMPLATES = [path for path in tree.files() if path.suffix == ".html" and "templates" in path.parts]
SCRIPTS = [path for path in tree.files() if path.suffix == ".js" and "vendor" not in path.parts]
# An attribute that begins with a slash, and an address that goes on behind what url_for gave.
TYPED = re.compile(r'\s(?!data-key)[a-z-]+="/')
LENGTHENED = re.compile(r'\s(?:href|src|action|formaction|hx-[a-z]+)="\{\{(?:[^}"]|"[^"]*")*\}\}[^"#&{]')
# The key that goes to the search, in the list of all keys.
KEY = {("webapp/templates/_keys.html", "/")}


@pytest.fixture
def parsed(app):
    """Each template's syntax tree, by its path."""
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
    """What a template asks of url_for: views by their names, and the names of what it gives them."""
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
        if not any(needed <= names for needed in of_views.get(view, ()))
    ]


IDS = st.integers(min_value=1, max_value=LARGEST_ID)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
WORDS = st.text("aZ9-_{}", min_size=1, max_size=8)
QUERIES = st.dictionaries(
    st.sampled_from(["q", "line", "from", "cursor", "{show}"]),
    st.one_of(st.none(), st.booleans(), IDS, TEXTS, st.lists(TEXTS, max_size=2)),
)
OPTIONS = st.sampled_from([{}, {}, {"_anchor": "line-1"}, {"_external": True}])


@on_sqlite
@settings(max_examples=200)
@given(data=st.data(), root=st.sampled_from(["", "/books", "/b{0}oks"]), query=QUERIES, options=OPTIONS)
def test_an_address_is_the_one_that_flask_builds(app, data, root, query, options):
    rules = sorted(app.url_map.iter_rules(), key=str)
    rule = data.draw(st.sampled_from([each for each in rules if each.endpoint != "static"]))
    paths = [{name: data.draw(IDS | WORDS) for name in sorted(rule.arguments)} for _ in range(3)]
    ours = app.jinja_env.globals["url_for"]
    with app.test_request_context("/", base_url=f"http://localhost{root}"):
        for values in ({**path, **query, **options} for path in paths):
            assert ours(rule.endpoint, **values) == app.url_for(rule.endpoint, **values)


@on_sqlite
def test_an_address_of_no_route_is_refused(app):
    with app.test_request_context("/"), pytest.raises(BuildError):
        app.jinja_env.globals["url_for"]("feed_accounts.show", wrong_id=1)
