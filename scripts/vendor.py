"""Copy the browser's libraries out of unpacked npm packages, and write down what they are.

    npm pack htmx.org@4.0.1 tinykeys@4.0.0 lucide-static@1.62.0 axe-core@4.14.1
    for file in *.tgz; do mkdir "${file%.tgz}" && tar xzf "$file" -C "${file%.tgz}"; done
    python scripts/vendor.py FOLDER_OF_THE_UNPACKED_PACKAGES

A file keeps its bytes and gets its version into its name; the icons become one sprite. What only tests use stands
beside them and is no part of the package.
"""

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
VENDOR = HERE.parent / "webapp" / "static" / "vendor"
FOR_TESTS = HERE.parent / "tests" / "browser" / "vendor"

COPIED = {
    "htmx.org-4.0.1": ("dist/htmx.min.js", "htmx-4.0.1.min.js"),
    "tinykeys-4.0.0": ("dist/tinykeys.umd.js", "tinykeys-4.0.0.umd.js"),
}
COPIED_FOR_TESTS = {"axe-core-4.14.1": ("axe.min.js", "axe-4.14.1.min.js")}
ICONS = "lucide-static-1.62.0"
ICON_NAMES = (
    "arrow-left arrow-right ban book-open bot building-2 calendar check chevron-down chevron-left "
    "chevron-right circle-alert copy download ellipsis equal file folder inbox key-round landmark link list-filter "
    "lock log-out menu pencil plus printer search settings split store terminal trash-2 triangle-alert "
    "undo-2 upload user users x zap history tag"
).split()


def main(packages: Path) -> None:
    """Write both folders of vendored files anew from the packages in this folder."""
    write(VENDOR, [*copied(packages, COPIED, VENDOR), write_sprite(packages)])
    write(FOR_TESTS, copied(packages, COPIED_FOR_TESTS, FOR_TESTS))


def write(folder: Path, entries: list[dict[str, str]]) -> None:
    """Write the manifest of a folder, and delete what it does not name."""
    (folder / "manifest.json").write_text(json.dumps(entries, indent=2) + "\n")
    named = {each[key] for each in entries for key in ("file", "licenceFile")} | {"manifest.json"}
    for path in folder.iterdir():
        if path.name not in named:
            path.unlink()


def copied(packages: Path, chosen: dict[str, tuple[str, str]], folder: Path) -> list[dict[str, str]]:
    """Copy files as they are, and their licences beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for package, (source, target) in chosen.items():
        shutil.copyfile(packages / package / "package" / source, folder / target)
        entries.append(described(packages, package, source, target, folder))
    return entries


def write_sprite(packages: Path) -> dict[str, str]:
    """Make one sprite of the icons that the pages use, Lucide's and our own."""
    folder = packages / ICONS / "package" / "icons"
    lucide = {name: (folder / f"{name}.svg").read_text() for name in ICON_NAMES}
    own = {path.stem: path.read_text() for path in (HERE / "icons").glob("*.svg")}
    symbols = [symbol(name, svg) for name, svg in sorted((lucide | own).items())]
    target = ICONS.replace("lucide-static", "icons") + ".svg"
    (VENDOR / target).write_text(
        '<svg xmlns="http://www.w3.org/2000/svg">\n' + "\n".join(symbols) + "\n</svg>\n",
    )
    return described(packages, ICONS, "icons/*.svg, and scripts/icons/*.svg of this project", target, VENDOR)


def symbol(name: str, svg: str) -> str:
    r"""Turn an icon's file into a symbol: what it draws, on one line, under its name.

    >>> symbol("dot", '<svg viewBox="0 0 24 24">\n  <path d="M1 1"/>\n</svg>')
    '<symbol id="dot" viewBox="0 0 24 24"><path d="M1 1"/></symbol>'
    """
    drawing = re.sub(r"\s*\n\s*", "", svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")])
    return f'<symbol id="{name}" viewBox="0 0 24 24">{drawing.strip()}</symbol>'


def described(packages: Path, package: str, source: str, target: str, folder: Path) -> dict[str, str]:
    """Say what a vendored file is, and put its licence beside it."""
    facts = json.loads((packages / package / "package" / "package.json").read_text())
    shutil.copyfile(packages / package / "package" / "LICENSE", folder / f"{package}.LICENSE")
    return {
        "file": target,
        "name": facts["name"],
        "version": facts["version"],
        "licence": facts["license"],
        "licenceFile": f"{package}.LICENSE",
        "source": source,
        "sha256": hashlib.sha256((folder / target).read_bytes()).hexdigest(),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
