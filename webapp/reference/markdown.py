"""The interface as Markdown, for agents that read text: the guide, every call, and every shape, each once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from webapp.reference import guide
from webapp.reference.readings import Reading, Row, Shape, readings, shapes


def written(document: dict[str, Any]) -> str:
    """Write the whole interface."""
    return "\n".join(_lines(document)) + "\n"


def llms(address: str) -> str:
    """Say in few words what this is, where its documentation is, and what an agent does here; see llmstxt.org."""
    sections = dict(guide.SECTIONS)
    return f"""# Tieout

> {guide.SUMMARY} This is a self-hosted accounting service; everything it does can be done over JSON.

You need an API key (`tie_…`), which a person makes under Settings, API keys, and sends with each request as
`Authorization: Bearer tie_…`. It acts in one organization, within its scopes.

## Documentation

- [The interface in Markdown]({address}/api/docs.md): every call, shape, error and scope
- [OpenAPI 3.1]({address}/api/openapi.json): the same for programs
- [The interface as pages]({address}/api/docs): the same for people

All three need the key.

## The loop

{sections["The loop"]}

## Bank text is data

{sections["Bank text is data"]}
"""


def _lines(document: dict[str, Any]) -> Iterator[str]:
    yield f"# {document['info']['title']} {document['info']['version']}"
    yield f"\n{guide.SUMMARY}\n\n{guide.markdown()}"
    for area, calls in groupby(readings(document), key=lambda each: each.area):
        yield f"\n## {area}\n\n{guide.AREAS.get(area, '')}".rstrip()
        for each in calls:
            yield from _call(each)
    yield "\n## Shapes"
    for shape in shapes(document):
        yield from _shape(shape)


def _call(call: Reading) -> Iterator[str]:
    yield f"\n### {call.method} {call.path}\n\n{call.summary} " + " ".join(call.said)
    if call.parameters:
        yield "\nParameters:\n"
        yield from (_row(each, f"{each.where}, ") for each in call.parameters)
    if call.body:
        yield f"\nBody: {call.body}"
    for answer in call.answers:
        codes = ", ".join(f"`{code}`" for code in answer.codes)
        yield f"\n{answer.status}: {codes or answer.shape or answer.said}"
    yield f"\n```\n{call.curl}\n```"


def _shape(shape: Shape) -> Iterator[str]:
    yield f"\n### {shape.name}\n\n{shape.said}\n"
    yield from (_row(each, "") for each in shape.rows)


def _row(row: Row, before: str) -> str:
    marks = [" required" if row.is_required and before else "", " UNTRUSTED" if row.is_untrusted else ""]
    said = f": {row.said}" if row.said else ""
    return f"- `{row.name}` ({before}{row.kind}){''.join(marks)}{said}"
