"""Answers without what is another one each time: instants, names made at random, and digests of these."""

import base64
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT(?!00:00:00Z)\d\d:\d\d:\d\d(\.\d+)?Z")
RANDOM = re.compile(r"ar_[0-9A-Z]{26}|org_[0-9a-z]{10,}|\b[0-9a-f]{64}\b|\b[0-9a-f]{16,40}\b")
SAME_DAY = "2026-11-02"
SAME_INSTANT = "2026-11-02T09:30:00.000Z"
SAMPLES = {"ar": "ar_01K9{:022d}", "or": "org_lanternstudio{:04d}"}

# What grows with each day, whatever is asked.
OF_TODAY = {"ageDays": 3, "overdueDays": 14}


@dataclass
class Likeness:
    """Gives what is random names by the order in which it appears, the same thing always the same name."""

    names: dict[str, str] = field(default_factory=dict)

    def of(self, value: Any, key: str = "") -> Any:
        """Write a value as it would be told in any other run."""
        if isinstance(value, dict):
            return {self.of(name): self.of(inner, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.of(each) for each in value]
        if isinstance(value, str):
            is_today = key == "today" or (key == "asOf" and value == f"{datetime.now(UTC):%Y-%m-%d}")
            return SAME_DAY if is_today else self._cursor(value) if key == "nextCursor" else self.text(value)
        return OF_TODAY.get(key, value)

    def text(self, text: str) -> str:
        return RANDOM.sub(lambda match: self._named(match[0]), INSTANT.sub(SAME_INSTANT, text))

    def _named(self, random: str) -> str:
        number = len(self.names) + 1
        sample = SAMPLES.get(random[:2], "") if "_" in random else "{:0" + str(len(random)) + "x}"
        return self.names.setdefault(random, sample.format(number))

    def _cursor(self, cursor: str) -> str:
        parts = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        return base64.urlsafe_b64encode(json.dumps(self.of(parts)).encode()).decode().rstrip("=")
