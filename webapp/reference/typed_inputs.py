"""The schemas of inputs with their own grammar instead of Marshmallow: rule effects and table mappings."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from webapp.ledger.rules.effects import MAX_ID, VALUE_KEY, EffectKind
from webapp.ledger.rules.triggers import NAMES, Target, Trigger

Schema = dict[str, Any]

REFERENCE: Final = "#/components/schemas/"
EFFECT, MAPPING, INVOICE_MAPPING = "RuleEffect", "TableMapping", "InvoiceTableMapping"
# The schemas that take a mapping, as a form does or in JSON.
MAPPED: Final = {
    "ImportUpload": MAPPING,
    "ImportFile": MAPPING,
    "TableUpload": INVOICE_MAPPING,
    "TableFile": INVOICE_MAPPING,
}
# Schemas of what is sent to make a rule, in which target and trigger are found under any of their names.
RULES: Final = ("RuleInput", "RuleReplacement")
SETS: Final = {
    EffectKind.SET_CURRENCY: ("Sets the currency of a receipt.", "Its code, such as EUR."),
    EffectKind.SET_ACCOUNT: ("Sets the account.", "The id of an account: GET /api/accounts."),
    EffectKind.SET_MERCHANT: ("Sets the merchant.", "The id of a merchant: GET /api/merchants."),
    EffectKind.SET_PROJECT: ("Sets the project.", "The id of a project: GET /api/projects."),
    EffectKind.SET_TAX_CODE: (
        "Sets the tax code, whose tax the amount of the line has in it.",
        "The id of a tax code: GET /api/tax/codes.",
    ),
    EffectKind.SETTLE_BY_REFERENCE: ("Pays the one open item that the text of the line names.", ""),
}
COLUMN: Final[Schema] = {"type": ["string", "integer"], "minimum": 0, "minLength": 1}
A_COLUMN: Final = "The column of {what}: a name of the header, or an index from 0."
OTHERS: Final[Schema] = {
    "encoding": {"type": "string", "description": "Such as utf-8, cp1252 or gb18030."},
    "header": {
        "type": ["integer", "string", "null"],
        "description": "The row of the header from 0, or the text with which it begins; null where there is none.",
    },
    "sheet": COLUMN | {"description": "The sheet of a workbook: its name, or an index from 0."},
    "dateFormat": {"type": "string", "description": "Such as %d.%m.%Y."},
    "flag": {
        "type": "array",
        "items": {},
        "minItems": 3,
        "maxItems": 4,
        "description": "[column, words for money out, words for money in, words of rows to leave out (optional)].",
    },
    "invert": {"type": "boolean", "description": "Whether positive amounts are money out."},
    "currency": {"type": "string", "description": "The currency of all amounts, such as EUR."},
    "pending": {
        "type": "array",
        "items": {},
        "minItems": 2,
        "maxItems": 4,
        "description": "[column, words of pending rows, words of rows that moved no money, words of booked rows]; a"
        " word in none of them is asked about. The short form [column, value] takes all other rows for booked ones.",
    },
    "leaveOut": {
        "type": "array",
        "items": {},
        "minItems": 2,
        "maxItems": 2,
        "description": "[column, values of rows to leave out]; an empty list says that all rows are lines.",
    },
    "skipWithoutAmount": {"type": "boolean", "description": "Whether to leave out rows without an amount."},
}
WHAT: Final = {
    "date": "the day of booking",
    "valueDate": "the value day",
    "amount": "signed amounts",
    "debit": "money out, beside credit",
    "credit": "money in, beside debit",
    "currencyColumn": "the currency",
    "accountColumn": "the account, in a file of several",
    "balance": "the bank's balance",
    "description": "the text",
    "counterparty": "the other party",
    "reference": "the reference",
    "charges": "the bank's charges",
    "originalAmount": "the amount in another currency",
    "originalCurrency": "that currency",
    "exchangeRate": "the rate between both",
}
WHAT_OF_INVOICES: Final = {
    "number": "the number",
    "date": "the day of issue",
    "dueDate": "the day when it is due",
    "party": "the other party",
    "vatId": "its VAT id",
    "iban": "its account",
    "net": "what it is without tax",
    "tax": "the tax",
    "total": "what it is with tax",
    "amountBase": "the total in the base currency",
    "currencyColumn": "the currency",
    "reference": "the reference of its payment",
    "description": "what it is for",
}
# What may be said of any table, not only of one of bank lines.
OF_ANY: Final = frozenset(
    {"encoding", "header", "sheet", "dateFormat", "delimiter", "decimal", "thousands", "currency"}
)
# What takes one of some words, with the words.
CHOICES: Final[dict[str, tuple[str, list[str]]]] = {
    "delimiter": ("What stands between columns.", [",", ";", "\t", "|"]),
    "decimal": ("The decimal mark.", [".", ","]),
    "thousands": (
        "The mark between thousands.",
        ["", ".", ",", " ", "'", "\u00a0", "\u202f", "\u2019"],
    ),
    "balanceIs": ("Whether the balance is the one after a line or before it.", ["after", "before"]),
    "chargesAre": ("Whether the amounts include the charges.", ["within", "beside"]),
}


def describe(schemas: dict[str, Schema]) -> None:
    """Replace the untyped objects by the shapes of effects, targets, triggers and mappings."""
    kinds = {kind: f"{kind.title().replace('_', '')}Effect" for kind in EffectKind}
    schemas |= {name: _effect(kind) for kind, name in kinds.items()}
    schemas[EFFECT] = {
        "oneOf": [{"$ref": REFERENCE + name} for name in kinds.values()],
        "discriminator": {
            "propertyName": "kind",
            "mapping": {str(kind): REFERENCE + name for kind, name in kinds.items()},
        },
        "description": "What a rule sets; the last effect of a kind wins.",
    }
    schemas[MAPPING] = _mapping("a CSV or XLSX table", WHAT, OTHERS.keys() | CHOICES.keys())
    schemas[INVOICE_MAPPING] = _mapping("a table of invoices", WHAT_OF_INVOICES, OF_ANY)
    for name, schema in schemas.items():
        properties = schema.get("properties", {})
        if properties.get("effects", {}).get("items", {}).get("type") == "object":
            properties["effects"]["items"] = {"$ref": REFERENCE + EFFECT}
        if name in RULES:
            properties |= {"target": _words(Target), "trigger": _words(Trigger)}
        if name in MAPPED:
            reference = {"$ref": REFERENCE + MAPPED[name]}
            is_form = name.endswith("Upload")
            properties["mapping"] = reference if is_form else {"anyOf": [reference, {"type": "null"}]}


def _effect(kind: EffectKind) -> Schema:
    sentence, of_value = SETS[kind]
    properties: Schema = {
        "kind": {"type": "string", "enum": [kind], "description": "Which effect this is."},
        "sortOrder": {
            "type": "integer",
            "description": "Effects apply from the lowest to the highest; without it by their place.",
        },
    }
    key = VALUE_KEY.get(kind)
    if key is not None:
        is_id = kind is not EffectKind.SET_CURRENCY
        shape = {"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ID}
        properties[key] = {**(shape if is_id else {"type": "string"}), "description": of_value}
    required = ["kind", *([key] if key else [])]
    return {"type": "object", "properties": properties, "required": required, "description": sentence}


def _words(choices: type[Target | Trigger]) -> Schema:
    meanings = "; ".join(f"`{each}` {NAMES[each]}" for each in choices)
    return {"type": "string", "enum": list(choices), "description": f"{meanings}."}


def _mapping(table: str, what_is_where: Mapping[str, str], others: Collection[str]) -> Schema:
    columns = {
        key: COLUMN | {"description": A_COLUMN.format(what=what)} for key, what in what_is_where.items()
    }
    choices = {
        key: {"type": "string", "enum": words, "description": sentence}
        for key, (sentence, words) in CHOICES.items()
    }
    beside = {key: each for key, each in {**choices, **OTHERS}.items() if key in others}
    return {
        "type": "object",
        "properties": dict(sorted({**columns, **beside}.items())),
        "additionalProperties": False,
        "description": f"Where {table} has what, and how it writes it; what is left out is found by itself.",
    }
