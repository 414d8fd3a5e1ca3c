"""docs/entities.md shows the tables as the models have them."""

import re

from scripts import entities
from webapp.database.sessions import Base

PAGE = entities.PAGE.read_text(encoding="utf-8")


def test_the_file_is_what_the_script_writes():
    assert entities.page() == PAGE


def test_every_table_is_drawn_once():
    drawn = re.findall(r"^  (\w+) \{$", PAGE, re.MULTILINE)
    assert sorted(drawn) == sorted(Base.metadata.tables)
