"""A workbook: its sheets and their shared parts, found by its relationships."""

import posixpath
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from webapp.importers.archives import Archive
from webapp.importers.bank_files import FileRefusedError
from webapp.importers.xlsx import cells
from webapp.importers.xlsx.cells import Kind
from webapp.importers.xlsx.parts import Element, ElementParser
from webapp.importers.xlsx.sheets import Context, SharedStrings, SheetParser

ROOT: Final = "_rels/.rels"
_MAX_NAME: Final = 100


@dataclass(frozen=True, slots=True)
class ListedSheet:
    """A sheet in the workbook's list of sheets."""

    name: str
    part: str
    is_hidden: bool


class Workbook:
    """A workbook in an archive; sheets are read on demand."""

    def __init__(self, archive: Archive) -> None:
        """Find the sheets; raises FileRefusedError if the archive is no workbook."""
        self._archive = archive
        documents = [each for each in self._relations("", ROOT) if each.kind == "officeDocument"]
        if not documents:
            raise FileRefusedError("The file is an archive (zip), but not a workbook.")
        self._main = documents[0].part
        self._elements = self._read(self._main)
        if not any(each.name == "workbook" for each in self._elements):
            raise FileRefusedError(
                "The file is a Word or PowerPoint document; export it from the bank as a table."
            )
        folder, name = posixpath.split(self._main)
        self._parts = self._relations(folder, posixpath.join(folder, "_rels", f"{name}.rels"))

    @cached_property
    def sheets(self) -> list[ListedSheet]:
        """The sheets with cells, in their order."""
        parts = {each.id: each.part for each in self._parts if each.kind == "worksheet"}
        return [
            ListedSheet(
                each.attributes.get("name", "")[:_MAX_NAME],
                parts[each.attributes["id"]],
                each.attributes.get("state", "visible") != "visible",
            )
            for each in self._elements
            if each.name == "sheet" and each.attributes.get("id") in parts
        ]

    def sheet(self, listed: ListedSheet) -> SheetParser:
        """Read a sheet's rows."""
        sheet = SheetParser(self._context)
        sheet.parse(self._archive.pieces(listed.part))
        return sheet

    @cached_property
    def _context(self) -> Context:
        strings = SharedStrings()
        for part in (each.part for each in self._parts if each.kind == "sharedStrings"):
            strings.parse(self._archive.pieces(part))
        properties = (each.attributes for each in self._elements if each.name == "workbookPr")
        is_1904 = any(each.get("date1904") in {"1", "true", "on"} for each in properties)
        return Context(strings.texts, self._kinds(), is_1904)

    def _kinds(self) -> list[Kind]:
        """Return the kind of number of each cell style."""
        parts = [each.part for each in self._parts if each.kind == "styles"]
        elements = [element for part in parts for element in self._read(part)]
        codes = {
            each.attributes.get("numFmtId"): each.attributes.get("formatCode", "")
            for each in elements
            if each.name == "numFmt" and each.parent == "numFmts"
        }
        kinds: dict[str, Kind] = {}
        styles = [
            each.attributes.get("numFmtId", "0")
            for each in elements
            if each.name == "xf" and each.parent == "cellXfs"
        ]
        for style in styles:
            if style not in kinds:
                number = int(style) if style.isascii() and style.isdigit() and len(style) < 10 else 0  # noqa: PLR2004
                kinds[style] = cells.kind_of(number, codes.get(style))
        return [kinds[style] for style in styles]

    def _relations(self, folder: str, part: str) -> "list[_Relation]":
        """Return the parts that a part refers to, without external targets."""
        if part not in self._archive:
            return []
        return [
            _Relation(
                each.attributes.get("Id", ""),
                each.attributes.get("Type", "").rpartition("/")[2],
                _within(folder, each.attributes.get("Target", "")),
            )
            for each in self._read(part)
            if each.name == "Relationship" and each.attributes.get("TargetMode") != "External"
        ]

    def _read(self, part: str) -> list[Element]:
        elements = ElementParser()
        elements.parse(self._archive.pieces(part))
        return elements.found


@dataclass(frozen=True, slots=True)
class _Relation:
    id: str
    kind: str
    part: str


def _within(folder: str, target: str) -> str:
    """Return the name of a part in the archive, from a relative or absolute target.

    >>> _within("xl", "worksheets/sheet1.xml"), _within("xl", "/xl/styles.xml"), _within("xl", "../../../etc/passwd")
    ('xl/worksheets/sheet1.xml', 'xl/styles.xml', 'etc/passwd')
    """
    joined = posixpath.join("/", folder, target.replace("\\", "/"))
    return posixpath.normpath(joined).lstrip("/")
