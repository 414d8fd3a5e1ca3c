"""Take the pictures of the README, of the demo's books in a real Chromium: docs/pictures/*.png.

    python -m scripts.pictures

The demo is made anew in a folder of its own. A picture gets a small palette, so that it weighs a few ten kilobytes.
"""

from __future__ import annotations

import base64
import logging
import os
import shutil
import struct
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from playwright.sync_api import Browser, Page, sync_playwright

from scripts import demos
from webapp.database.sessions import db
from webapp.models import FeedAccount, User
from webapp.services.access import sessions

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
PICTURES = {"hub": "/", "workspace": "/feeds/{fa_id}"}
SIZE = {"width": 1360, "height": 800}
COLOURS = 128
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Chromium itself reads what it has drawn, as bytes of red, green, blue and opacity.
PIXELS = """async (png) => {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  canvas.drawImage(picture, 0, 0);
  const bytes = canvas.getImageData(0, 0, picture.width, picture.height).data;
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}"""

Colour = tuple[int, int, int]


def main() -> None:
    """Take all pictures anew."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    logging.disable(logging.INFO)
    with demos.served(prepare) as (address, (secret, fa_id)), sync_playwright() as playwright:
        program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)))
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-lcd-text"]
        )
        page = signed_in(browser, address, secret)
        for name, path in PICTURES.items():
            page.goto(address + path.format(fa_id=fa_id), wait_until="networkidle")
            (FOLDER / f"{name}.png").write_bytes(picture(browser, page))
        browser.close()


def prepare(owner: User, now: datetime) -> tuple[str, int]:
    """Sign the owner in; gives the secret of the session, and the account that is half reconciled."""
    secret = sessions.open_session(owner.id, now=now)
    return secret, db.session.scalars(sa.select(FeedAccount.id).order_by(FeedAccount.id)).first() or 0


def signed_in(browser: Browser, address: str, secret: str) -> Page:
    """Open a page that the demo's owner is signed in to, in the light."""
    context = browser.new_context(viewport=SIZE, color_scheme="light")
    context.add_cookies(
        [{"name": "tieout", "value": secret, "url": address, "httpOnly": True, "sameSite": "Lax"}]
    )
    return context.new_page()


def picture(browser: Browser, page: Page) -> bytes:
    """Take a picture of a page in a few colours."""
    taken = base64.b64encode(page.screenshot(animations="disabled")).decode()
    reader = browser.new_page()
    data = base64.b64decode(reader.evaluate(PIXELS, taken))
    reader.close()
    pixels = list(zip(data[0::4], data[1::4], data[2::4], strict=True))
    counts = Counter(pixels)
    palette = palette_of(counts)
    places = {each: min(range(len(palette)), key=lambda at: distance(palette[at], each)) for each in counts}
    return png(bytes(places[each] for each in pixels), palette, SIZE["width"])


def palette_of(counts: Mapping[Colour, int]) -> list[Colour]:
    """Choose colours one by one: the one that is missed most by what is chosen, as often and as far as it is off.

    >>> palette_of({(0, 0, 0): 90, (2, 2, 2): 9, (255, 0, 0): 1})[:2]
    [(0, 0, 0), (255, 0, 0)]
    """
    palette = [max(counts, key=lambda each: counts[each])]
    missed = {each: distance(each, palette[0]) for each in counts}
    while len(palette) < min(COLOURS, len(counts)):
        palette.append(max(missed, key=lambda each: missed[each] * counts[each]))
        missed = {each: min(off, distance(each, palette[-1])) for each, off in missed.items()}
    return palette


def distance(one: Colour, other: Colour) -> int:
    """Tell how far two colours are apart."""
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def png(indices: bytes, palette: Sequence[Colour], width: int) -> bytes:
    """Write a picture of a palette. No row is filtered: numbers that are close stand for colours that are not."""
    rows = b"".join(b"\0" + indices[at : at + width] for at in range(0, len(indices), width))
    head = struct.pack(">IIBBBBB", width, len(indices) // width, 8, 3, 0, 0, 0)
    colours = bytes(part for colour in palette for part in colour)
    parts = ((b"IHDR", head), (b"PLTE", colours), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(name, data) for name, data in parts)


def chunk(name: bytes, data: bytes) -> bytes:
    """Write one part of a PNG file."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


if __name__ == "__main__":
    main()
