"""Who the studio is and what it does every month: its habits, its clients, and what it buys by card."""

from dataclasses import dataclass
from typing import Final

NAME: Final = "Northlight Studio"
OWNER_NAME: Final = "Mara Lindqvist"
OWNER_EMAIL: Final = "mara@northlight.example"

# The accounts of what goes between own accounts, and of taxes.
TRANSFERS: Final = "1900"
TAXES: Final = "6900"


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A recurring payment: on these days of every n-th month, for an amount between two, in minor units.

    `percent` is how often it really happens; `{month}`, `{quarter}` and `{number}` in the memo are filled in.
    """

    party: str
    memo: str
    days: tuple[int, ...]
    least_minor: int
    most_minor: int
    code: str
    project: str | None = None
    every: int = 1
    percent: int = 100


# Group -> its projects, each with the letters it is known by.
PROJECTS: Final = {
    ("Clients", "🤝"): (
        ("Aurora rebrand", "🌅"),
        ("Harbour Museum signage", "⚓"),
        ("Fjord Coffee packaging", "☕"),
        ("Brightwater website", "💧"),
    ),
    ("Studio", "🏡"): (("Type specimen", "🔤"), ("Website relaunch", "🛠️")),
}

CURRENT: Final = (
    Recurrence("Speicherstadt Immobilien", "Rent {month}, Alter Wall 12", (1,), -145000, -145000, "6100"),
    Recurrence("Elbe Stadtwerke", "Electricity and water {month}", (4,), -17650, -11820, "6150"),
    Recurrence("Kontor Telecom", "Fibre 500 and two mobiles", (7,), -6490, -6490, "6300"),
    Recurrence("Steuerbüro Petersen", "Bookkeeping advice {month}", (11,), -23800, -23800, "6650"),
    Recurrence("Jonas Weber", "Salary {month}", (27,), -264000, -264000, "6000"),
    Recurrence("Ines Okafor", "Salary {month}", (27,), -218000, -218000, "6000"),
    Recurrence("Nordkasse Gesundheit", "Social security {month}", (26,), -134120, -130870, "6050"),
    Recurrence("Mara Lindqvist", "Drawings {month}", (28,), -180000, -150000, "3200"),
    Recurrence("Hansa Kontor Bank", "Account fee {month}", (30,), -1290, -1290, "7000"),
    Recurrence("Finanzamt Hamburg-Mitte", "VAT {quarter}", (10,), -412000, -268000, TAXES, every=3),
    Recurrence(
        "Finanzamt Hamburg-Mitte", "Income tax advance {quarter}", (12,), -96000, -96000, "3200", every=3
    ),
    Recurrence(
        "Alsterwerk Versicherung", "Liability insurance {quarter}", (3,), -18640, -18640, "6600", every=3
    ),
    Recurrence("Lotte Brandt Fotografie", "Invoice {number}", (9, 21), -98000, -36000, "5100", percent=40),
    Recurrence("Druckhaus Wandsbek", "Invoice {number}", (17,), -124000, -21000, "5000", percent=70),
    Recurrence(
        "Aurora Energi AB",
        "Your invoice {number}",
        (14,),
        380000,
        720000,
        "4000",
        "Aurora rebrand",
        percent=85,
    ),
    Recurrence(
        "Harbour Museum",
        "Invoice {number} wayfinding",
        (20,),
        290000,
        540000,
        "4000",
        "Harbour Museum signage",
        percent=75,
    ),
    Recurrence(
        "Fjord Coffee Roasters",
        "Invoice {number}",
        (6, 23),
        160000,
        340000,
        "4000",
        "Fjord Coffee packaging",
        percent=70,
    ),
    Recurrence(
        "Buchhandlung Möller & Söhne", "Type specimen, 12 copies", (16,), 21600, 43200, "4100", percent=40
    ),
)

CARD: Final = (
    Recurrence("Nimbus Hosting", "Cloud servers {month}", (3,), -9480, -7215, "6250"),
    Recurrence("Layerboard", "Team plan, 4 seats", (5,), -5400, -5400, "6200"),
    Recurrence("Glyphhaus Fonts", "Font licence {number}", (12,), -18900, -3900, "6200", percent=50),
    Recurrence("Postfuchs", "Parcel stamps", (8,), -2460, -680, "6700", percent=70),
    Recurrence("Papierhof Altona", "Paper and toner", (10,), -9870, -2140, "6350"),
    Recurrence("Deutsche Schienen AG", "Ticket {number}", (9, 18), -11980, -2790, "6500", percent=60),
    Recurrence("Café Möwe", "Lunch with client", (6, 15, 24), -6840, -1820, "6550", percent=55),
    Recurrence("Stadtrad Taxi", "Ride {number}", (11, 22), -3480, -1150, "6500", percent=50),
    Recurrence("Hotel Anker Kiel", "2 nights, breakfast", (19,), -28400, -19600, "6500", percent=40),
    Recurrence("Reklame Nord", "Sponsored posts {month}", (21,), -15000, -6000, "6450", percent=60),
    Recurrence("Typografie Verlag", "Books", (23,), -8900, -2400, "6400", percent=55),
    Recurrence("Pixelwerk Store", "Accessories {number}", (14,), -15900, -1990, "6350", percent=45),
)

DOLLARS: Final = (
    Recurrence(
        "Brightwater Labs Inc",
        "Invoice {number} retainer",
        (5,),
        240000,
        380000,
        "4000",
        "Brightwater website",
    ),
    Recurrence("Paylane", "Payout web shop {month}", (19,), 31200, 88400, "4100", "Type specimen"),
    Recurrence("Paylane", "Processing fees {month}", (19,), -3120, -1410, "7000", "Type specimen"),
    Recurrence("Atlantic Business Bank", "Incoming wire fee", (5,), -1500, -1500, "7000"),
)

SAVINGS: Final = (Recurrence("Hansa Kontor Bank", "Interest {month}", (28,), 1480, 1960, "4800"),)

# What the card is about to be charged on any day.
PENDING: Final = (
    Recurrence("Café Möwe", "Reserved", (), -5620, -1490, "6550"),
    Recurrence("Deutsche Schienen AG", "Reserved", (), -11980, -2790, "6500"),
    Recurrence("Papierhof Altona", "Reserved", (), -7410, -1830, "6350"),
)
