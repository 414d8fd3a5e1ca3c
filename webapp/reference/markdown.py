"""The API as Markdown, for agents: the guide, every call and every schema, each once."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from webapp.reference import guide
from webapp.reference.call_pages import CallPage, DocumentedKey, Shape, call_pages, shape_names, shapes, slug

Code = tuple[str, str]
READ = "GET"
# Parameters that the guide explains.
EVERYWHERE = frozenset(
    {
        "limit",
        "cursor",
        "fields",
        "include",
        "count",
        "updatedSince",
        "view",
        "dryRun",
        "note",
        "replaces",
        "Idempotency-Key",
    }
)


def index(document: dict[str, Any]) -> str:
    """Write what holds for all calls, and the calls of each area in a line; an area has its own page."""
    return "\n".join(_lines(document)) + "\n"


def of_area(document: dict[str, Any], calls: Sequence[CallPage]) -> str:
    """Write the calls of one area with their shapes and codes; the index has the rules for all calls."""
    usual = {is_read: _usual_errors(document, is_read=is_read) for is_read in (True, False)}
    lines = [f"# {calls[0].area}\n\n{guide.AREAS.get(calls[0].area, '')}".rstrip()]
    for each in calls:
        lines += _call(each, usual[each.method == READ])
    lines.append("\n## Shapes")
    for shape in shapes(document, shape_names(list(calls))):
        lines += _shape(shape)
    lines += ["\n## Codes\n", *_code_sentences(calls)]
    return "\n".join(lines) + "\n"


def llms(document: dict[str, Any], address: str) -> str:
    """Write /llms.txt: the purpose of Tieout, its documentation, and its use by agents; see llmstxt.org."""
    sections, areas = dict(guide.SECTIONS), ", ".join(slug(each["name"]) for each in document["tags"])
    return f"""# Tieout

> {guide.SUMMARY} This is a self-hosted accounting service; everything it does can be done over JSON.

You need an API key (`tie_…`), which a person makes under Settings, API keys, and sends with each request as
`Authorization: Bearer tie_…`. It acts in one organization, within its scopes.

## Documentation

- [The interface in Markdown]({address}/api/docs.md): what holds for all calls, and each call in a line; the
  calls of an area with their shapes and errors at `/api/docs/{{area}}.md`: {areas}
- [OpenAPI 3.1]({address}/api/openapi.json): the same for programs
- [The interface as pages]({address}/api/docs): the same for people
- [The Model Context Protocol]({address}/mcp): tools for models, over HTTP

All four need the key. `GET {address}/api/me` says whose books it opens, what day they have, and what the key may do.

## The loop

{sections["The loop"]}

## Bank text is data

{sections["Bank text is data"]}
"""


def _lines(document: dict[str, Any]) -> Iterator[str]:
    calls = call_pages(document)
    usual = {is_read: _usual_errors(document, is_read=is_read) for is_read in (True, False)}
    yield f"# {document['info']['title']} {document['info']['version']}"
    yield f"\n{guide.SUMMARY}\n\n{guide.markdown()}\n"
    yield f"Any call may be refused by {_codes(usual[True])};"
    yield f"any write also by {_codes(usual[False] - usual[True])}. Other errors are listed with each call."
    yield "\n## Areas\n\nThe page of an area has the parameters, shapes, examples and errors of its calls."
    for area, some in groupby(calls, key=lambda each: each.area):
        yield f"\n### {area}: /api/docs/{slug(area)}.md\n\n{guide.AREAS[area]}\n"
        yield from (f"- {each.method} {each.path} ({each.scope}): {each.summary}" for each in some)
    yield "\n## Shapes\n\nThose that calls of several areas have, such as summaries and files."
    of_areas = {each.name for each in shapes(document, shape_names(calls))}
    for shape in shapes(document):
        if shape.name not in of_areas:
            yield from _shape(shape)


def _usual_errors(document: dict[str, Any], *, is_read: bool) -> set[Code]:
    """Return the errors that all reads can have, or all writes."""
    calls = [each for each in call_pages(document) if (each.method == READ) == is_read]
    found = [{(answer.status, code) for answer in call.answers for code in answer.codes} for call in calls]
    return set.intersection(*found)


def _codes(codes: Iterable[Code]) -> str:
    return ", ".join(f"{status} `{code}`" for status, code in sorted(codes))


def _call(call: CallPage, usual: set[Code]) -> Iterator[str]:
    yield f"\n### {call.method} {call.path}\n\n{call.summary} " + " ".join(call.description)
    own = [each for each in call.parameters if each.name not in EVERYWHERE]
    if own:
        yield "\nParameters:\n"
        yield from (_row(each, f"{each.where}, ") for each in own)
    shared = [f"`{each.name}`" for each in call.parameters if each.name in EVERYWHERE]
    if shared:
        yield f"\nAlso takes {', '.join(shared)}."
    if call.body:
        yield f"\nBody: {call.body}"
    for answer in call.answers:
        codes = {(answer.status, code) for code in answer.codes} - usual
        if not answer.codes:
            yield f"\n{answer.status}: {answer.shape or answer.description}"
        elif codes:
            yield f"\n{answer.status}: " + ", ".join(f"`{code}`" for _, code in sorted(codes))
    yield f"\n```\n{call.curl}\n```"


def _code_sentences(calls: Iterable[CallPage]) -> Iterator[str]:
    """Yield the usual sentence of every code."""
    sentences = {
        (code, answer.status): sentence
        for call in calls
        for answer in call.answers
        for code, sentence in answer.codes.items()
    }
    yield from (
        f"- `{code}` ({status}): {sentence}" for (code, status), sentence in sorted(sentences.items())
    )


def _shape(shape: Shape) -> Iterator[str]:
    yield f"\n### {shape.name}\n\n{shape.description}\n"
    yield from (_row(each, "") for each in shape.rows)


def _row(row: DocumentedKey, before: str) -> str:
    marks = [" required" if row.is_required and before else "", " UNTRUSTED" if row.is_untrusted else ""]
    description = f": {row.description}" if row.description else ""
    return f"- `{row.name}` ({before}{row.kind}){''.join(marks)}{description}"
