"""Bring the catalogues of webapp/translations up to date with the texts of pages, and compile them.

    python -m scripts.translations

Texts of templates are marked as gettext has it. Sentences of the code are found where they are written: errors by their
docstrings, others by what they look like, in the rooms whose sentences pages show. A test holds the files current.
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_javascript
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment, nodes
from jinja2.ext import babel_extract
from marshmallow import Schema, fields
from marshmallow.validate import OneOf

from webapp import schemas
from webapp.ledger.chart import CHARTS
from webapp.ledger.closing.closes import CloseState, StepState
from webapp.ledger.closing.documents import CloseVerdict
from webapp.ledger.closing.layouts import LAYOUTS, layout_of
from webapp.ledger.codes import ACCOUNT_TYPES
from webapp.ledger.rules.fields import Field
from webapp.ledger.rules.triggers import NAMES
from webapp.ledger.tax.forms import FREQUENCIES
from webapp.ledger.tax.late import ADJUSTMENT_REASONS
from webapp.ledger.titles import IMPERATIVES, proposed
from webapp.queries.audit.field_changes import CODE, LABELS, OF_CODES, label
from webapp.queries.tax.packs import NAMES as PACKS
from webapp.queries.tax.packs import content
from webapp.web.rendering.languages import CATALOGUES, COMPOSED
from webapp.web.rendering.notation import for_people

ROOT: Final = Path(__file__).parent.parent
STATIC, TEMPLATES = ROOT / "webapp" / "static", ROOT / "webapp" / "templates"
# Whose sentences pages show; what only operators, programs or files read stays in English.
ROOMS: Final = (
    "database/failures.py",
    "errors.py",
    "importers",
    "ledger",
    "pages",
    "queries",
    "schemas",
    "services",
    "web",
)
TITLES: Final = ("ledger/titles.py", "services/audit/titles.py")
ENGLISH_ONLY: Final = re.compile(
    r"webapp/(?:importers/(?:camt/details|layouts/|providers/(?!pay|pus)|\w+_tables/columns|tables/(?:mappings|vocabulary)|balance_lines"
    r"|invoices/trees)|queries/checks/|services/(?:backups|storage)/|web/access/(?!auth|hosts)"
    r"|web/rendering/languages|pages/documentation|ledger/notation/|ledger/(?:chart|currencies)\b|ledger/suggestions/receipts)"
)
# Calls whose texts are for logs, databases or patterns.
SILENT: Final = re.compile(
    r"(?:^|\.)(?:log\.\w+|compile|text|RuntimeError|TypeError|ValueError|KeyError|DDL|literal_column|split|frozenset)$"
)
KEYWORDS: Final = {"_": None, "gettext": None, "ngettext": (1, 2)}
PROSE: Final = re.compile(r"[^\W\d_]{2,}[,;:]? [^\s]*[^\W\d_]", re.ASCII)
LEAST_LETTERS: Final = 5
MOST_FORMS: Final = 16
SCHEMAS: Final = re.compile("Schema$")
# Titles of acts name what these change.
OF_CHANGES: Final = re.compile("(?:Changes|Fields|RuleInput)Schema$")
NO_HEADS: Final = re.compile(rb'^"(?:Report|POT|PO-Rev|Last-Tr|Language-T|Generated)[^\n]*\n', re.MULTILINE)


@cache
def catalog() -> Catalog:
    """Extract every message of templates and code."""
    found = Catalog(charset="utf-8", fuzzy=False)
    for path in sorted(TEMPLATES.rglob("*.html")):
        for message in template_messages(path):
            found.add(message)
    texts = code().plain | code().sentences | proposals() | set(scripts()) | labels()
    for message in sorted(texts - {""}) + sorted(code().nouns):
        found.add(message)
    return found


def composed() -> str:
    """Give composed.json: what pages need to find the sentence by which a text was composed."""
    nouns = [message.id for message in catalog() if message.pluralizable and "%" not in message.id[0]]
    sentences = code().sentences | {text for text in proposals() if "%(" in text}
    of_titles = code(TITLES).sentences
    things = sorted(text for text in code().plain if re.fullmatch("the [a-z ]+", text))
    found = {
        "sentences": sorted(sentences),
        "labels": sorted(text for text in of_titles if text.startswith("%")),
        "things": things,
        "fields": sorted({label(key) for key in keys(OF_CHANGES)}),
        "nouns": sorted(nouns),
        "scripts": scripts(),
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def updated(language: str) -> Catalog:
    """Give the catalogue of a language with exactly the messages of today, and the translations that it has."""
    path = po_path(language)
    with path.open("rb") as file:
        found = read_po(file, locale=language)
    messages = catalog()
    for message in list(found):
        if message.id and message.id not in messages:
            found.delete(message.id, message.context)
    for message in messages:
        known = found.get(message.id) if message.id else message
        if known is None or known.pluralizable != message.pluralizable:
            found.delete(message.id)
            found.add(message.id)
    found.obsolete.clear()
    # The files change only with their messages.
    found.creation_date = found.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    return found


def po_path(language: str) -> Path:
    """Give the path of the catalogue that people edit."""
    return CATALOGUES / language / "LC_MESSAGES" / "messages.po"


def po_text(found: Catalog) -> bytes:
    """Write a catalogue as people edit it."""
    made = io.BytesIO()
    write_po(made, found, width=110, no_location=True, sort_output=True)
    return NO_HEADS.sub(b"", made.getvalue())


def mo_text(found: Catalog) -> bytes:
    """Write a catalogue as the application reads it."""
    made = io.BytesIO()
    write_mo(made, found)
    return made.getvalue()


def main() -> None:
    """Write the catalogues anew."""
    COMPOSED.write_text(composed(), encoding="utf-8")
    for language in languages():
        found = updated(language)
        po_path(language).write_bytes(po_text(found))
        po_path(language).with_suffix(".mo").write_bytes(mo_text(found))
        missing = sum(not all(made) for made in map(strings, found))
        sys.stdout.write(f"{language}: {len(found)} messages, {missing} without a translation\n")


def languages() -> list[str]:
    """List the languages that have a catalogue; pages offer those of `LANGUAGES`, which are complete."""
    return sorted(path.name for path in CATALOGUES.iterdir() if path.is_dir())


def strings(message: Message) -> tuple[str, ...]:
    """Give the translations of a message, in each of its forms; none of the header."""
    if not message.id:
        return ()
    return tuple(message.string) if message.pluralizable else (str(message.string or ""),)


@cache
def code(rooms: Sequence[str] = ROOMS) -> Code:
    """Read the texts of the modules of rooms."""
    found = Code()
    for path in code_files(rooms):
        found.read(path)
    return found


def proposals() -> set[str]:
    """Give the titles of acts as proposals have them."""
    services = code(("services",))
    titles = (text for text in services.plain | services.sentences if text.partition(" ")[0] in IMPERATIVES)
    return {proposed(text) for text in titles if not text.endswith((".", "?"))}


def template_messages(path: Path) -> Iterator[str | tuple[str, str]]:
    """Give the messages of a template: what it marks, and the nouns that it counts."""
    source = path.read_bytes()
    options = {
        "newstyle_gettext": "true",
        "trimmed": "true",
        "trim_blocks": "true",
        "lstrip_blocks": "true",
        "silent": "false",
    }
    for _, function, message, _ in babel_extract(io.BytesIO(source), KEYWORDS, [], options):
        if function == "ngettext":
            yield message[0], message[1]
        elif isinstance(message, tuple):
            yield message[0]
        else:
            yield message
    for call in environment().parse(source.decode()).find_all(nodes.Filter):
        if call.name == "counted" and all(isinstance(each, nodes.Const) for each in call.args):
            yield noun(*(each.value for each in call.args))  # type: ignore[attr-defined]


def scripts() -> list[str]:
    """List the sentences that scripts say."""
    found = set()
    for path in sorted(STATIC.rglob("*.js")):
        if "vendor" not in path.parts:
            with path.open("rb") as file:
                calls = extract_javascript(file, ("say",), [], {})
                found |= {texts if isinstance(texts, str) else texts[0] for _, _, texts, _ in calls}
    return sorted(found)


def labels() -> set[str]:
    """Give the labels that the code looks up or makes of keys: of fields, triggers, charts and packs."""
    found = set[str]()
    for pack in map(content, PACKS):
        found |= {pack.title, *(box.label for box in pack.form.boxes)}
        found |= {code.name for code in pack.codes_by("CASH")}
    found |= (
        {field.label for field in Field} | set(NAMES.values()) | set(CHARTS.values()) | set(LABELS.values())
    )
    found |= {each.capitalize() for each in (*FREQUENCIES, *NAMES.values())}
    found |= {each.lower() for each in ACCOUNT_TYPES}
    found |= {each.replace("_", " ").capitalize() for each in (*CloseState, *CloseVerdict, *StepState)}
    found |= {each.replace("_", " ").capitalize() for each in ADJUSTMENT_REASONS}
    for layout in map(layout_of, LAYOUTS):
        found |= {layout.name, *(row.name for row in (*layout.profit, *layout.sheet))}
    codes = (value for key, field in schema_fields() if key in OF_CODES for value in codes_of(field))
    return found | {label(each) for each in (*keys(), *codes)}


def codes_of(field: fields.Field[Any]) -> Iterator[str]:
    """Give the codes that a field of a schema takes."""
    for rule in field.validators:
        if isinstance(rule, OneOf):
            yield from filter(CODE.fullmatch, map(str, rule.choices))


def keys(of_schemas: re.Pattern[str] = SCHEMAS) -> Iterator[str]:
    """Give the keys of schemas, by which acts record what they changed."""
    return (key for key, _ in schema_fields(of_schemas))


def schema_fields(of_schemas: re.Pattern[str] = SCHEMAS) -> Iterator[tuple[str, fields.Field[Any]]]:
    """Give the keys of schemas with their fields."""
    for module in walk_packages(schemas.__path__, "webapp.schemas."):
        import_module(module.name)
    found = [Schema]
    while found:
        schema = found.pop()
        found += schema.__subclasses__()
        if schema.__module__.startswith(schemas.__name__) and of_schemas.search(schema.__name__):
            yield from ((each.data_key or name, each) for name, each in schema().fields.items())


@cache
def environment() -> Environment:
    """Make an environment that parses templates."""
    return Environment(extensions=["jinja2.ext.i18n"], autoescape=True)


def noun(one: str, many: str | None = None) -> tuple[str, str]:
    """Give both forms of a noun that is counted, as `counted` makes them."""
    return one, many or f"{one}s"


class Code:
    """The texts of modules: plain ones, sentences with values, and nouns that are counted."""

    def __init__(self) -> None:
        self.plain: set[str] = set()
        self.sentences: set[str] = set()
        self.nouns: set[tuple[str, str]] = set()

    def read(self, path: Path) -> None:
        """Add the texts of a module."""
        self._walk(ast.parse(path.read_text(encoding="utf-8")))

    def _walk(self, node: ast.AST) -> None:
        if isinstance(node, ast.JoinedStr):
            self._add(node)
            return
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if SILENT.search(called):
                return
            self._add_marked(called.rpartition(".")[2], node.args)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_prose(node.value):
            self.plain.add(for_people(node.value))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
            self.plain.add(for_people(ast.get_docstring(node) or ""))
        for child in ast.iter_child_nodes(node):
            if not is_docstring(child) and getattr(child, "arg", "") != "metadata":
                self._walk(child)

    def _add_marked(self, called: str, args: list[ast.expr]) -> None:
        if called == "counted":
            self._add_noun(args[1:])
        elif called in MARKS and isinstance(args[0], ast.Constant):
            self.plain.add(args[0].value)

    def _add_noun(self, args: list[ast.expr]) -> None:
        if args and all(isinstance(each, ast.Constant) for each in args):
            self.nouns.add(noun(*(each.value for each in args)))  # type: ignore[attr-defined]

    def _add(self, node: ast.JoinedStr) -> None:
        forms = list(Composed(self).forms(node))
        for text in map(for_people, forms[:MOST_FORMS]):
            if "%(" not in text and is_prose(text):
                self.plain.add(text)
            elif is_sentence(text):
                self.sentences.add(text)


MARK: Final = re.compile(r"%\(\w+\)s")
# A sentence about a row, a line or a step.
NUMBERED: Final = re.compile(r"[A-Z][a-z]+ %\(\w+\)s[:,.]")
# A value whose shape tells it from a word.
SHAPED: Final = re.compile(r"%\((?:\w+_)?(?:day|amount|counted)\)s")
WORD: Final = re.compile(r"(?:^| )[A-Za-z]{2}")
MARKS: Final = frozenset({"marked", "gettext", "Words"})


class Composed:
    """A sentence with values, in each of its forms."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._names: dict[str, str] = {}

    def forms(self, node: ast.expr) -> Iterator[str]:
        """Give the forms of a sentence: one for each way through its conditions."""
        if isinstance(node, ast.JoinedStr):
            for parts in product(*(list(self.forms(each)) for each in node.values)):
                yield "".join(parts)
        elif isinstance(node, ast.Constant):
            yield str(node.value).replace("%", "%%")
        elif isinstance(node, ast.FormattedValue):
            yield from self._value(node)
        elif isinstance(node, ast.IfExp):
            yield from self.forms(node.body)
            yield from self.forms(node.orelse)
        else:
            yield f"%({self._name(node, '')})s"

    def _value(self, node: ast.FormattedValue) -> Iterator[str]:
        spec = ast.unparse(node.format_spec)[2:-1] if node.format_spec else ""
        value = node.value
        is_choice = isinstance(value, ast.IfExp) and any(
            isinstance(each, ast.Constant | ast.JoinedStr) for each in (value.body, value.orelse)
        )
        if is_choice or isinstance(value, ast.JoinedStr):
            yield from self.forms(value)
            return
        self._code._walk(value)  # noqa: SLF001  (its own part)
        yield f"%({self._name(value, spec)})s"

    def _name(self, node: ast.expr, spec: str) -> str:
        text = ast.unparse(node) + spec
        if text not in self._names:
            words = re.findall(r"[A-Za-z]\w*", re.sub(r"\(.*\)|\[.*\]|'[^']*'", "", ast.unparse(node)))
            words = [each for each in words if each not in {"self", "str", "formatted", "strip"}] or ["value"]
            name = words[-1].lower()
            if "%" in spec:
                name = name if name.endswith("day") else f"{name}_day"
            while name in self._names.values():
                name += "_2"
            self._names[text] = name
        return self._names[text]


def is_sentence(text: str) -> bool:
    """Return whether a text with values is words for people."""
    words = MARK.sub("", text)
    letters = len(re.findall(r"[^\W\d_]", words))
    if is_prose(words) or letters >= LEAST_LETTERS or NUMBERED.match(text):
        return True
    is_short = SHAPED.search(text) or text.partition(" ")[0] in IMPERATIVES
    return bool(is_short and WORD.search(words) and not NO_PROSE.search(words))


def is_prose(text: str) -> bool:
    """Return whether a text is words for people."""
    return bool(PROSE.search(text)) and not NO_PROSE.search(text)


# Patterns, statements, addresses, formats, lists of words.
NO_PROSE: Final = re.compile(
    r"[\\<>|^\t\x1a]|\(\?|^(?:SELECT|SET|WITH|DELETE|UPDATE|INSERT)\b|://|; charset|^\n|\w_\w|="
    r"|^[^.]*; [^.]*; [^.]*$"
)


def is_docstring(node: ast.AST) -> bool:
    """Return whether a node is a docstring, or a text that nothing uses."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def code_files(rooms: Sequence[str]) -> Iterator[Path]:
    """Give the modules of rooms whose sentences pages show."""
    for room in rooms:
        place = ROOT / "webapp" / room
        for path in [place] if place.is_file() else sorted(place.rglob("*.py")):
            if not ENGLISH_ONLY.search(path.as_posix()):
                yield path


if __name__ == "__main__":
    main()
