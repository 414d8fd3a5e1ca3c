"""Where the studio can be: its currency, its taxes, and what people and accounts are called there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True)
class OwnTax:
    """A tax code that the studio adds to those of its pack: its side, its rate, and the boxes of base and tax."""

    code: str
    name: str
    side: str
    rate: Decimal
    base_box: str
    tax_box: str


@dataclass(frozen=True, slots=True)
class StudioCountry:
    """A country of the demo.

    `dollars` is what its currency costs at first. `numbers` are those of the bank accounts in order. `tax_codes` are by
    party, else by account. Accounts are named by their codes in the general chart, of which `codes` gives those of the
    country's own chart; `words` gives what stands for texts of the story.
    """

    currency: str
    chart: str
    pack: str
    dollars: Decimal
    numbers: tuple[str, str, str, str]
    tax_codes: Mapping[str, str]
    own_taxes: tuple[OwnTax, ...] = ()
    codes: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def wording(self, text: str) -> str:
        """Return the words of a text of the story in the country."""
        for ours, theirs in self.words.items():
            text = text.replace(ours, theirs)
        return text

    def tax_code(self, party: str, account: str) -> str | None:
        """Return the tax code of what is bought from or sold to a party, or None."""
        if account not in self.tax_codes:
            return None
        return self.tax_codes.get(party, self.tax_codes[account])


GERMANY: Final = StudioCountry(
    currency="EUR",
    chart="generic",
    pack="generic-vat",
    dollars=Decimal("1.0850"),
    numbers=("DE02200505501015871393", "5200830000004417", "021000890417", "DE75200505501015871407"),
    own_taxes=(
        OwnTax("S19", "Sales at 19 %", "SALE", Decimal(19), "F", "A"),
        OwnTax("S7", "Sales at 7 %", "SALE", Decimal(7), "F", "A"),
        OwnTax("P19", "Purchases at 19 %", "PURCHASE", Decimal(19), "G", "D"),
        OwnTax("P7", "Purchases at 7 %", "PURCHASE", Decimal(7), "G", "D"),
    ),
    tax_codes={
        **dict.fromkeys(("Aurora Energi AB", "Brightwater Labs Inc", "Paylane"), "S0"),
        **dict.fromkeys(("5000", "5100", "6150", "6200", "6250", "6300", "6350", "6450", "6500"), "P19"),
        **dict.fromkeys(("6550", "6650"), "P19"),
        **dict.fromkeys(("6100", "6600", "6700"), "PE"),
        "Hotel Anker Kiel": "P7",
        "Buchhandlung Möller & Söhne": "S7",
        "4000": "S19",
        "4100": "S19",
        "6400": "P7",
    },
)
UNITED_KINGDOM: Final = StudioCountry(
    currency="GBP",
    chart="uk",
    pack="uk-vat100",
    dollars=Decimal("1.2650"),
    numbers=("60161331926819", "5200830000004417", "021000890417", "60161331926827"),
    tax_codes={
        **dict.fromkeys(("Aurora Energi AB", "Brightwater Labs Inc"), "S-ABROAD"),
        **dict.fromkeys(("5000", "5100", "6150", "6200", "6250", "6300", "6350", "6450", "6650"), "P20"),
        **dict.fromkeys(("6100", "6600", "6700"), "PE"),
        **dict.fromkeys(("Nimbus Hosting", "Layerboard"), "P-RCS"),
        # What clients are treated to has no deductible tax (VATA s.24, Notice 700/65).
        "6550": "P20-NONE",
        # Trains, but taxis and hotels have their tax.
        "6500": "P0",
        "Headrow Taxi": "P20",
        "Anchor Hotel Whitby": "P20",
        "Miller & Sons Booksellers": "S0",
        "Paylane": "S-EXP",
        "4000": "S20",
        "4100": "S20",
        "6400": "P0",
    },
    codes={
        "1100": "1230",
        "1200": "1100",
        "1500": "0030",
        "1510": "0031",
        "1900": "1250",
        "3100": "2301",
        "3200": "3260",
        "4100": "4010",
        "4800": "4910",
        "5100": "5200",
        "6000": "7000",
        "6050": "7006",
        "6100": "7100",
        "6150": "7200",
        "6200": "7510",
        "6250": "7510",
        "6300": "7502",
        "6350": "7500",
        "6400": "7505",
        "6450": "6201",
        "6500": "7400",
        "6550": "7403",
        "6600": "7104",
        "6650": "7601",
        "6700": "7501",
        "6800": "8000",
        "6900": "2202",
        "7000": "7901",
    },
    words={
        "Speicherstadt Immobilien": "Canal Wharf Properties",
        "Alter Wall 12": "12 Wharf Street",
        "Elbe Stadtwerke": "Aire Valley Utilities",
        "Kontor Telecom": "Pennine Telecom",
        "Steuerbüro Petersen": "Petersen Accountants",
        "Nordkasse Gesundheit": "HM Revenue and Customs",
        "Social security": "PAYE and National Insurance",
        "Hansa Kontor Bank": "Pennine Counties Bank",
        "Finanzamt Hamburg-Mitte": "HM Revenue and Customs",
        "Income tax advance": "Income tax on account",
        "Alsterwerk Versicherung": "Airedale Insurance",
        "Lotte Brandt Fotografie": "Lottie Brand Photography",
        "Druckhaus Wandsbek": "Holbeck Print House",
        "Buchhandlung Möller & Söhne": "Miller & Sons Booksellers",
        "Postfuchs": "Post Fox",
        "Papierhof Altona": "Headrow Paper",
        "Deutsche Schienen AG": "Northern Rails",
        "Schienen": "Rails",
        "Café Möwe": "Gull Café",
        "Stadtrad Taxi": "Headrow Taxi",
        "Hotel Anker Kiel": "Anchor Hotel Whitby",
        "Reklame Nord": "Northern Adverts",
        "Typografie Verlag": "Typography Press",
    },
)
COUNTRIES: Final[Mapping[str, StudioCountry]] = {"uk": UNITED_KINGDOM}
