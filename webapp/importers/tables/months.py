"""The names of months in the languages of many banks, since strptime only knows one language."""

import re
from typing import Final

_LETTERS: Final = re.compile(r"[^\W\d_]{3,}\.?")
_ENGLISH: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
# Abbreviations are the first letters of these, three or more, unless another month in any language has them too.
_NAMES: Final = (
    "januar jänner janvier enero gennaio janeiro januari tammikuu styczeń stycznia leden ledna január ianuarie",
    "februar feber février fevrier febrero febbraio fevereiro februari helmikuu luty lutego únor února február",
    "märz maerz mrz mars marzo março marco maart mrt marts maaliskuu marzec marca březen března március martie",
    "april avril abril aprile huhtikuu kwiecień kwietnia duben dubna április aprilie",
    "mai mayo maggio maio mei maj toukokuu maja květen května május",
    "juni juin junio giugno junho kesäkuu czerwiec czerwca červen června június iunie",
    "juli juillet julio luglio julho heinäkuu lipiec lipca červenec července július iulie",
    "august août aout agosto augustus augusti elokuu sierpień sierpnia srpen srpna augusztus",
    "september septembre septiembre settembre setembro syyskuu wrzesień września září szeptember septembrie",
    "oktober octobre octubre ottobre outubro lokakuu październik października říjen října október octombrie",
    "november novembre noviembre novembro marraskuu listopad listopada listopadu noiembrie",
    "dezember décembre decembre diciembre dicembre dezembro december joulukuu grudzień grudnia prosinec prosince",
)


def _abbreviated() -> dict[str, int]:
    months_of: dict[str, set[int]] = {}
    full_names: dict[str, int] = {}
    for month, (english, names) in enumerate(zip(_ENGLISH, _NAMES, strict=True)):
        for name in (english.casefold(), *names.split()):
            full_names[name] = month
            for end in range(3, len(name)):
                months_of.setdefault(name[:end], set()).add(month)
    return {short: min(months) for short, months in months_of.items() if len(months) == 1} | full_names


_MONTHS: Final = _abbreviated()


def in_english(text: str, *, is_full: bool, has_point: bool = False) -> str:
    """Write the month of a date in English, in full or by its first three letters, with or without a point.

    >>> in_english("1. März 2024", is_full=True), in_english("2 févr. 2024", is_full=False)
    ('1. March 2024', '2 Feb 2024')
    >>> in_english("30-dez-2023", is_full=False), in_english("Tuesday, 3 mai", is_full=True)
    ('30-Dec-2023', 'Tuesday, 3 May')
    """

    def english(found: re.Match[str]) -> str:
        month = _MONTHS.get(found[0].rstrip(".").casefold())
        name = found[0] if month is None else _ENGLISH[month]
        short = name[:3] + ("." if has_point and found[0].endswith(".") else "")
        return name if is_full or month is None else short

    return _LETTERS.sub(english, text)
