"""The languages of pages: that of the request, and the translations of its sentences by the catalogues of gettext."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from typing import Any, Final, NamedTuple

from flask import Flask, Response, request
from jinja2 import pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup

from webapp.ledger.notation.days import MONTHS
from webapp.ledger.notation.locales import LANGUAGES
from webapp.web.access.request_state import begun, state

ENGLISH: Final = "en"
CATALOGUES: Final = Path(__file__).parents[2] / "translations"
# What a visitor chose who is not signed in.
COOKIE: Final = "language"
_YEAR: Final = 365 * 24 * 3600
# The sentences of the code that hold values, and the nouns that are counted: `make translations` lists them.
COMPOSED: Final = CATALOGUES / "composed.json"
_MARK: Final = re.compile(r"%\((\w+)\)s")
_IN_QUOTES: Final = re.compile("“([^“”]*)”")
_COUNT: Final = re.compile(r"([0-9][0-9,]*) (.+)")
# The shapes of values whose names end so, beside `thing` and `counted`; another value has any.
_SHAPES: Final[Mapping[str, str]] = {
    "day": (
        rf"(?:[0-9]{{1,2}} (?:{'|'.join(MONTHS)})(?: [0-9]{{4}})?|(?:{'|'.join(MONTHS)})[a-z]* [0-9]{{4}}"
        r"|[0-9]{4}-[0-9]{2}-[0-9]{2})"
    ),
    "box": "[^,]+",
    "amount": r"−?[0-9][0-9,]*(?:\.[0-9]+)?(?: [A-Z]{3})?",
}


def register_languages(app: Flask) -> None:
    """Let templates translate, by the usual names of gettext."""
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.add_extension("jinja2.ext.i18n")
    # Values are in their sentences by name.
    app.jinja_env.newstyle_gettext = True  # type: ignore[attr-defined]
    templated = _templated(gettext)
    app.jinja_env.globals.update(
        _=templated,
        gettext=templated,
        ngettext=_templated(ngettext),
        language=language,
        languages=LANGUAGES,
        script_words=script_words,
    )


def _templated(translate: Callable[..., str]) -> Callable[..., str]:
    """Let templates call a function of gettext, with the values of its sentence by name; a count is `num` too."""

    @pass_eval_context
    def templated(context: EvalContext, *texts: Any, **values: Any) -> str:
        sentence = translate(*texts)
        shown = Markup(sentence) if context.autoescape else sentence  # noqa: S704  (a sentence of ours)
        return shown % {"num": texts[-1], **values} if "%" in sentence else shown

    return templated


def language() -> str:
    """Give the language of the request: the person's, or else the first of the browser's that there is."""
    current = begun()
    if current is None:
        return ENGLISH
    if current.language is None:
        current.language = _language()
    return current.language


def _language() -> str:
    who = state().principal
    for chosen in (who and who.language, request.cookies.get(COOKIE)):
        if chosen in LANGUAGES:
            return chosen
    return request.accept_languages.best_match(LANGUAGES) or ENGLISH


def remember(response: Response, chosen: str) -> Response:
    """Remember what a visitor chose who is not signed in."""
    response.set_cookie(
        COOKIE, chosen, _YEAR, path="/", secure=request.is_secure, httponly=True, samesite="Lax"
    )
    return response


@cache
def catalogue(name: str) -> NullTranslations:
    """Read the catalogue of a language; English is written in the code."""
    path = CATALOGUES / name / "LC_MESSAGES" / "messages.mo"
    if name == ENGLISH:
        return NullTranslations()
    with path.open("rb") as file:
        return GNUTranslations(file)


def gettext(text: str) -> str:
    """Translate a text of a template."""
    return _plain(text, catalogue(language()))


def _plain(text: str, words: NullTranslations) -> str:
    """Translate a text without values; a noun that is counted elsewhere is in the catalogue with its plural."""
    found = words.gettext(text)
    return words.ngettext(text, text, 1) if found == text else found


def ngettext(one: str, many: str, count: int) -> str:
    """Translate a text of a template for a number of things."""
    return catalogue(language()).ngettext(one, many, count)


def script_words() -> dict[str, str]:
    """Give the sentences of scripts with their translations in the language of the page."""
    return {text: gettext(text) for text in _sentences().scripts}


def marked(text: str) -> str:
    """Mark a text of a module for the catalogue; a page translates it where it shows it."""
    return text


def translated(text: str) -> str:
    """Translate a sentence of ours as a page shows it, also one that was composed with values.

    Services compose their sentences in English, for the API, and some are stored. A page finds the sentence of the
    code that one was composed by, and puts its values, translated as well, into the translation of that sentence.
    """
    name = language()
    return text if name == ENGLISH or not text else _quoted(_translated(text, name), name)


def _quoted(text: str, name: str) -> str:
    """Write what is quoted with the marks of the language."""
    marks = catalogue(name).gettext("“%(quoted)s”")
    return _IN_QUOTES.sub(lambda found: marks % {"quoted": found[1]}, text)


@lru_cache(maxsize=4096)
def _translated(text: str, name: str) -> str:
    found = _plain(text, catalogue(name))
    return _composed(text, name) if found == text else found


def _composed(text: str, name: str) -> str:
    counted = _COUNT.fullmatch(text)
    one = _sentences().nouns.get(counted[2]) if counted else None
    if counted is not None and one is not None:
        return f"{counted[1]} {catalogue(name).ngettext(one, counted[2], int(counted[1].replace(',', '')))}"
    for pattern, sentence in _candidates(text):
        values = pattern.fullmatch(text)
        if values:
            made = _filled(sentence, values, name)
            return made if text.endswith(".") else made.removesuffix(".")
    ended = _ended(text, name, _translated)
    if ended != text:
        return ended
    # Evidence is listed: "Same amount, same day".
    first, comma, rest = text.partition(", ")
    known = _translated(first, name) if comma else first
    return text if known == first else f"{known}, {_translated(rest, name)}"


def _value(text: str, name: str) -> str:
    """Translate a value: a part of a sentence is ours, what begins with a capital may be somebody's name."""
    thing = _sentences().things.match(text)
    if thing:
        return f"{catalogue(name).gettext(thing[1])} {_value(text[thing.end() :], name)}".rstrip()
    if text[:1].islower() or text[:1].isdigit() or text.startswith("−") or text.endswith((".", "?")):
        return _translated(text, name)
    for pattern, sentence in _sentences().labels:
        values = pattern.fullmatch(text)
        if values:
            return _filled(sentence, values, name)
    text = _sentences().fields.sub(lambda field: field[1] + catalogue(name).gettext(field[2]), text)
    return _ended(text, name, _value)


def _ended(text: str, name: str, translate: Callable[[str, str], str]) -> str:
    """Translate the part of a sentence that ends a text, and what stands before it."""
    for pattern, sentence in _sentences().endings:
        values = pattern.search(text, 1)
        if values:
            return translate(text[: values.start()], name) + _filled(sentence, values, name)
    return text


def _filled(sentence: str, values: re.Match[str], name: str) -> str:
    words = catalogue(name)
    # The heading of a group in a report is ours, though it begins with a capital.
    own = {
        key: words.gettext(value) if key == "heading" else _value(value or "", name)
        for key, value in values.groupdict().items()
    }
    return words.gettext(sentence) % own


class _Sentences(NamedTuple):
    """The sentences with values, the longest first, by their first word.

    `labels` name lines and entries, `endings` end another sentence, `things` are words before a name, like "the rule",
    and `fields` the labels of changed fields after a name.
    `nouns` has the first form of each form that is counted.
    """

    by_head: Mapping[str, list[tuple[re.Pattern[str], str]]]
    labels: list[tuple[re.Pattern[str], str]]
    endings: list[tuple[re.Pattern[str], str]]
    things: re.Pattern[str]
    fields: re.Pattern[str]
    nouns: Mapping[str, str]
    scripts: tuple[str, ...]


@cache
def _sentences() -> _Sentences:
    found = json.loads(COMPOSED.read_text(encoding="utf-8"))
    things, fields = ("|".join(sorted(found[each], key=len, reverse=True)) for each in ("things", "fields"))
    sentences = sorted(found["sentences"], key=lambda each: (-len(_MARK.sub("", each)), _loose(each)))
    nouns = {form: one for one, many in found["nouns"] for form in (one, many)}
    shapes = {**_SHAPES, "thing": things, "counted": rf"[0-9][0-9,]* (?:{'|'.join(nouns)})"}
    patterns = [(_pattern(each, shapes), each) for each in sentences]
    by_head: dict[str, list[tuple[re.Pattern[str], str]]] = {}
    for pattern, sentence in patterns:
        head = sentence.partition(" ")[0]
        by_head.setdefault("" if "%" in head else head, []).append((pattern, sentence))
    labels = [each for each in patterns if each[1] in found["labels"]]
    endings = [
        (re.compile(rf"{pattern.pattern}\Z", re.DOTALL), sentence)
        for pattern, sentence in patterns
        if sentence.startswith((" ", ",", ":"))
    ]
    of_things, of_fields = re.compile(rf"({things})(?: |\Z)"), re.compile(rf"(: |, )({fields})(?=[ ,]|\Z)")
    return _Sentences(by_head, labels, endings, of_things, of_fields, nouns, tuple(found["scripts"]))


def _loose(sentence: str) -> int:
    """Count the values of a sentence that may have any shape."""
    return sum(name.rpartition("_")[2] not in {*_SHAPES, "counted"} for name in _MARK.findall(sentence))


def _candidates(text: str) -> Iterator[tuple[re.Pattern[str], str]]:
    by_head = _sentences().by_head
    yield from by_head.get(text.partition(" ")[0], ())
    yield from by_head.get("", ())


def _pattern(sentence: str, shapes: Mapping[str, str]) -> re.Pattern[str]:
    """Make the pattern of what a sentence becomes with its values.

    >>> _pattern("Debits exceed credits by %(amount)s.", {}).fullmatch("Debits exceed credits by 1.00 EUR.")["amount"]
    '1.00 EUR'
    >>> _pattern("Changed %(thing)s %(name)s", {"thing": "the rule"}).fullmatch("Changed the rule Rent")["thing"]
    'the rule'
    """
    found: set[str] = set()
    made = []
    for index, part in enumerate(_MARK.split(sentence)):
        if not index % 2:
            made.append(re.escape(part.replace("%%", "%")))
        else:
            made.append(
                f"(?P={part})"
                if part in found
                else f"(?P<{part}>{shapes.get(part.rpartition('_')[2], '.*?')})"
            )
            found.add(part)
    # A title has such a sentence without its full stop.
    made[-1] = r"\.?" if made[-1] == r"\." else made[-1]
    return re.compile("".join(made), re.DOTALL)
