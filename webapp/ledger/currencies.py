"""The currencies of ISO 4217 and how many digits each has after the decimal point."""

import re
from typing import Final

from webapp.ledger.errors import UnprocessableError


class UnknownCurrencyError(UnprocessableError):
    """That is not an ISO 4217 currency; use a three-letter code such as EUR."""

    code = "unknown_currency"


# Two digits is the rule, so only the codes are listed; the exceptions follow. The funds codes
# (BOV, CHE, CHW, CLF, COU, MXV, USN, UYI, UYW) are currencies like any other. Metals, drawing rights
# and the test codes have no minor unit in ISO 4217 and therefore cannot be counted in whole ones.
_TWO: Final = """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF
    CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ
    GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD
    MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON
    RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
    UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG
"""
_NONE: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE: Final = "BHD IQD JOD KWD LYD OMR TND"
_FOUR: Final = "CLF UYW"

# Bank files reach further back than the standard's list of today.
_WITHDRAWN_TWO: Final = """
    ATS BGN CUC CYP DEM EEK FIM FRF HRK IEP LTL LVL MRO MTL NLG SIT SKK SLL STD VEF ZWL
"""
_WITHDRAWN_NONE: Final = "BEF BYR ESP GRD ITL LUF PTE"

ACTIVE: Final[frozenset[str]] = frozenset(f"{_TWO} {_NONE} {_THREE} {_FOUR}".split())

DIGITS: Final[dict[str, int]] = {
    **dict.fromkeys(f"{_TWO} {_WITHDRAWN_TWO}".split(), 2),
    **dict.fromkeys(f"{_NONE} {_WITHDRAWN_NONE}".split(), 0),
    **dict.fromkeys(_THREE.split(), 3),
    **dict.fromkeys(_FOUR.split(), 4),
}

# Only where one unit of the old code is one unit of the new: a code whose successor was redenominated
# (TRL, ROL, SLL …) or joined another currency at a rate (DEM, BGN …) would change every amount.
# RUR is the trap: the rouble of before 1998 is long gone, and Russian banks still write its code for RUB.
SUCCESSORS: Final[dict[str, str]] = {
    "ANG": "XCG",
    "BUK": "MMK",
    "CSD": "RSD",
    "RUR": "RUB",
    "XEU": "EUR",
    "YUM": "RSD",
}


def canonical(code: str) -> str:
    """Read a currency code without case, a replaced one as its successor at par.

    Raises UnknownCurrencyError for anything but a currency with a minor unit.

    >>> canonical("eur"), canonical("RUR"), canonical(" Jpy ")
    ('EUR', 'RUB', 'JPY')
    >>> canonical("DEM")
    'DEM'
    >>> canonical("XAU")
    Traceback (most recent call last):
    webapp.ledger.currencies.UnknownCurrencyError: XAU is not an ISO 4217 currency with minor units, like EUR.
    """
    upper = code.strip().upper()
    current = SUCCESSORS.get(upper, upper)
    if current not in DIGITS:
        # Only what could be a code is quoted; a file's whole text has no place in a sentence.
        if re.fullmatch("[A-Z]{3}", upper):
            raise UnknownCurrencyError(f"{upper} is not an ISO 4217 currency with minor units, like EUR.")
        raise UnknownCurrencyError
    return current


def digits(code: str) -> int:
    """Return how many digits a currency (by its canonical code) has after the decimal point.

    >>> digits("EUR"), digits("JPY"), digits("BHD"), digits("CLF")
    (2, 0, 3, 4)
    """
    found = DIGITS.get(code)
    return found if found is not None else DIGITS[canonical(code)]
