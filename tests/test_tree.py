"""The style of the project that every file follows: lengths, folders, docstrings, texts that name modules."""

import ast
import re
from collections import Counter
from pathlib import Path

from tests import tree

# Written with classes of one letter, so that this file does not name what it refuses.
ELSEWHERE = re.compile(r"[p]ypi[.]org|[p]ythonhosted|[n]pmjs[.]|[d]eb[.]debian|/(?:work|farm|root)/")
UNFINISHED = re.compile(r"#.*\b(?:TO[D]O|FIX[M]E|X{3})\b|\bfor[ ]now\b|\bNotImplemented[E]rror")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style\b|\sstyle=|\son[a-z]+=|\bhx-on|javascript:")
# A module as comments and documents name it, by its layer.
MODULE_PATH = re.compile(
    r"(?<![\w/.])(?:webapp/)?((?:services|queries|importers|ledger|web|models|pages|api|schemas)/[a-z0-9_/]+\.py)"
)
TRUSTED = re.compile(r"\|\s*safe\b|autoescape\s+false")
MODULES = [path for path in tree.modules("webapp") if tree.text(path)]
PYTHON = [*MODULES, *tree.modules("tests"), *tree.modules("benchmarks")]
MOST_FILES = 20
# Comments and calls of a template are not read by people; of its expressions only texts with a space or a capital are.
HIDDEN = re.compile(r"\{#.*?#\}", re.DOTALL)
EXPRESSION = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)
LITERAL = re.compile(r'"([^"]*)"')
MARKUP = re.compile(r"<[^>]*>", re.DOTALL)
LABELLED = re.compile(r'\b(?:aria-label|title|placeholder|alt|content)="([^"]*)"')
MIGRATIONS = Path("webapp/migrations/versions")  # a chain, which only grows
MOST_LINES = 450
TEMPLATES = [path for path in tree.files() if path.suffix in {".html", ".jinja"}]


def opening(node: ast.Module | ast.FunctionDef) -> str:
    return (ast.get_docstring(node) or "").split("\n\n")[0]


def test_no_file_names_a_registry_or_a_machine():
    named = [
        path
        for path in tree.files()
        if "vendor" not in path.parts and ELSEWHERE.search(tree.text(path) or "")
    ]
    assert not named


def test_nothing_is_left_for_later():
    unfinished = [path for path in PYTHON if UNFINISHED.search(tree.text(path))]
    assert not unfinished


def test_a_module_opens_with_a_sentence():
    assert not [path for path in PYTHON if not re.search(r"[.?!:]$", opening(tree.parsed(path)))]


def test_a_module_is_at_most_450_lines_long():
    assert not {path: lines for path in MODULES if (lines := tree.text(path).count("\n")) > MOST_LINES}


def test_a_folder_has_at_most_20_files():
    widths = Counter(path.parent for path in tree.files())
    del widths[MIGRATIONS]
    assert not {str(folder): width for folder, width in widths.items() if width > MOST_FILES}


def test_no_two_classes_have_one_name():
    """A name leads to one place: whoever searches for it does not read the other first."""
    places = {}
    for path in MODULES:
        for node in tree.parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_migrations_are_one_chain_in_the_order_of_their_names():
    """Two with one number would be one to the database: the other would never run."""
    names = sorted(path for path in tree.files() if path.parent == MIGRATIONS and path.suffix == ".py")
    stated = [
        tuple(re.findall(r'^(?:down_)?revision = "?(\w+)"?$', tree.text(path), re.MULTILINE))
        for path in names
    ]
    numbers = [path.name[:4] for path in names]
    assert stated == list(zip(numbers, ["None", *numbers], strict=False))


def test_a_function_is_at_most_45_lines_long():
    long = {
        f"{path}: {node.name}"
        for path in MODULES
        for node in ast.walk(tree.parsed(path))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno > 45
    }
    assert not long


def test_a_template_is_at_most_150_lines_long():
    assert not {path: lines for path in TEMPLATES if (lines := tree.text(path).count("\n")) > 150}


def test_a_template_has_no_inline_script_or_style_and_trusts_no_text():
    assert not [
        path for path in TEMPLATES if INLINE.search(tree.text(path)) or TRUSTED.search(tree.text(path))
    ]


def test_a_module_that_a_text_names_is_there():
    named = {
        (path, name)
        for path in tree.files()
        if path.suffix in {".py", ".html", ".md"}
        for name in MODULE_PATH.findall(tree.text(path) or "")
    }
    assert not {
        (path, name)
        for path, name in named
        if not any((tree.ROOT / top / name).exists() for top in ("", "webapp", "tests"))
    }


def words_of(template: str) -> str:
    """What people may read of a template: its text, its labels, and the texts in its expressions."""
    kept = HIDDEN.sub(" ", template)
    texts = [
        text
        for each in EXPRESSION.findall(kept)
        for text in LITERAL.findall(each)
        if re.search(r"^[A-Z]| ", text)
    ]
    plain = EXPRESSION.sub(" ", kept)
    return " | ".join([MARKUP.sub(" ", plain), *LABELLED.findall(plain), *texts])


def test_pages_speak_the_words_of_bookkeepers():
    """An id or a name of the API means nothing to them; the API's own documentation has both."""
    pages = {path: words_of(tree.text(path)) for path in TEMPLATES if "documentation" not in path.parts}
    titles = tree.text(Path("tests/titles.txt")).splitlines()
    said = {**pages, **{title: title.partition(" | ")[2] for title in titles}}
    assert {name: found for name, text in said.items() if (found := tree.UNPLAIN.findall(text))} == {}
