"""Workbooks written part by part, so that a test can have in them what no program would write."""

import io
import zipfile
from itertools import count
from string import ascii_uppercase
from xml.sax.saxutils import escape, quoteattr

HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = f'xmlns="{MAIN}" xmlns:r="{LINKS}"'
# The styles of cells by their place: General, a day, a time, and those of FORMATS.
FORMATS = ("dd.mm.yyyy;@", "#,##0.00\\ [$€-407]", "[h]:mm:ss", '"day" 0')
DAY, TIME, GERMAN_DAY, EURO, ELAPSED, WORDED = range(1, 7)
HEADER = ("Date", "Description", "Amount")


def number(value, style=0):
    return f'<c{{r}} s="{style}"><v>{value}</v></c>'


def day(serial, style=DAY):
    return number(serial, style)


def text(value, kind="inlineStr"):
    if kind == "inlineStr":
        return f'<c{{r}} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c{{r}} t="{kind}"><v>{escape(value)}</v></c>'


def shared(index):
    return f'<c{{r}} t="s"><v>{index}</v></c>'


def formula(value, kind="n", style=0):
    stated = f"<v>{value}</v>" if value is not None else ""
    return f'<c{{r}} t="{kind}" s="{style}"><f>A1+B1</f>{stated}</c>'


def error(code="#REF!"):
    return text(code, "e")


def cell(value):
    """A cell of a Python value; one in XML already stays as it is, None is no cell."""
    if value is None or (isinstance(value, str) and value.startswith("<c")):
        return value
    return text(value) if isinstance(value, str) else number(value)


def rows(*given, first=1, hidden=(), referenced=True):
    """The rows of a sheet; those whose number is in `hidden` are."""
    written = []
    for place, cells in zip(count(first), given, strict=False):
        xml = "".join(
            cell(each).replace("{r}", f' r="{letter}{place}"' if referenced else "")
            for letter, each in zip(ascii_uppercase, cells, strict=False)
            if each is not None
        )
        mark = ' hidden="1"' if place in hidden else ""
        written.append(f"<row{mark}>{xml}</row>" if not referenced else f'<row r="{place}"{mark}>{xml}</row>')
    return f"<sheetData>{''.join(written)}</sheetData>"


def worksheet(data, behind=""):
    return f"{HEAD}<worksheet {NAMES}>{data}{behind}</worksheet>"


def relations(*links):
    written = "".join(
        f'<Relationship Id="{name}" Type="{LINKS}/{kind}" Target={quoteattr(target)}{more}/>'
        for name, kind, target, more in links
    )
    return f"{HEAD}<Relationships>{written}</Relationships>"


def parts(*sheets, names=("Sheet1", "Sheet2", "Sheet3"), states=(), strings=(), is_1904=False):
    """The parts of a workbook by their names, in the order in which a program writes them."""
    numbered = list(enumerate(sheets, start=1))
    states = dict(zip(names, states, strict=False))
    listed = "".join(
        f'<sheet name={quoteattr(names[place - 1])} sheetId="{place}" r:id="rId{place}"'
        f' state="{states.get(names[place - 1], "visible")}"/>'
        for place, _ in numbered
    )
    formats = "".join(
        f'<numFmt numFmtId="{164 + place}" formatCode={quoteattr(code)}/>'
        for place, code in enumerate(FORMATS)
    )
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in (0, 14, 20, 164, 165, 166, 167))
    items = "".join(
        each if each.startswith("<si>") else f"<si><t>{escape(each)}</t></si>" for each in strings
    )
    epoch = '<workbookPr date1904="1"/>' if is_1904 else ""
    return {
        "[Content_Types].xml": f"{HEAD}<Types/>",
        "_rels/.rels": relations(("rId1", "officeDocument", "xl/workbook.xml", "")),
        "xl/workbook.xml": f"{HEAD}<workbook {NAMES}>{epoch}<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            *((f"rId{place}", "worksheet", f"worksheets/sheet{place}.xml", "") for place, _ in numbered),
            ("rId98", "styles", "/xl/styles.xml", ""),
            ("rId99", "sharedStrings", "sharedStrings.xml", ""),
        ),
        "xl/styles.xml": f"{HEAD}<styleSheet {NAMES}><numFmts>{formats}</numFmts>"
        f"<cellStyleXfs><xf numFmtId='14'/></cellStyleXfs><cellXfs>{styles}</cellXfs></styleSheet>",
        "xl/sharedStrings.xml": f"{HEAD}<sst {NAMES}>{items}</sst>",
        **{f"xl/worksheets/sheet{place}.xml": sheet for place, sheet in numbered},
    }


def archive(members, method=zipfile.ZIP_DEFLATED):
    """Zip members as they are; a value is text, or bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return written.getvalue()


def workbook(*tables, header=HEADER, behind="", **others):
    """A workbook with a sheet for each table of rows, each under the header."""
    sheets = [worksheet(rows(*([header] if header else []), *table), behind) for table in tables]
    return archive(parts(*sheets, **others))
