"""The rows of a rule's form with their choices, and the type of input for each value."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from webapp import queries
from webapp.ledger.codes import DOCUMENT_TYPES
from webapp.ledger.rules.conditions import WITHOUT_VALUE, Operator, operators_of
from webapp.ledger.rules.effects import FIELD_OF, EffectKind
from webapp.ledger.rules.fields import Field, ValueKind, fields_of
from webapp.ledger.rules.triggers import Target, Trigger
from webapp.web.access.auth import organization_id
from webapp.web.rendering import rule_wording, wording
from webapp.web.rendering.forms import chosen_id
from webapp.web.rendering.languages import translated

Row = dict[str, Any]
Choices = Mapping[str, Sequence[Any]]

CONDITIONS: Final = "conditions.conditions"
SEVERAL: Final = frozenset({Operator.IN, Operator.NOT_IN})
CHOICES_OF_KIND: Final = {
    ValueKind.DIRECTION: ("IN", "OUT"),
    ValueKind.DOCUMENT_TYPE: DOCUMENT_TYPES,
}


def choices(conditions: Sequence[Row], effects: Sequence[Row]) -> Choices:
    """The choices of rules by the JSON key of their ids, with archived ones that these rows have chosen."""
    named = _chosen_ids(conditions, effects)
    return {
        "accountId": queries.accounts.choices.accounts(organization_id(), chosen=named["accountId"]),
        "orgMerchantId": queries.accounts.choices.merchants(organization_id(), chosen=named["orgMerchantId"]),
        "projectId": queries.accounts.choices.projects(organization_id()),
        "faId": queries.accounts.choices.feed_accounts(organization_id(), chosen=named["faId"]),
        "taxCodeId": wording.code_choices(queries.tax.codes.in_use(organization_id(), named["taxCodeId"])),
    }


def _chosen_ids(conditions: Sequence[Row], effects: Sequence[Row]) -> Mapping[str, set[int | None]]:
    found: defaultdict[str, set[int | None]] = defaultdict(set)
    for row in conditions:
        parts = str(row.get("value") or "").split(",")
        found[Field(row["field"]).id_key] |= {chosen_id(part.strip()) for part in parts}
    for row in effects:
        key = FIELD_OF[EffectKind(row["kind"])]
        found[key].add(chosen_id(row.get(key)))
    return found


def triggers_of(target: str) -> list[Trigger]:
    """List the triggers of a target, the usual one first."""
    by_itself = (
        [Trigger.RECEIPT_PARSED]
        if target == Target.RECEIPT
        else [Trigger.TRANSACTION_INGESTED, Trigger.TRANSACTION_UPDATED]
    )
    return [*by_itself, Trigger.MANUAL_APPLY, Trigger.MANUAL_PREVIEW]


def fields_for(target: str) -> list[Row]:
    """List the fields of conditions for a target."""
    return [
        {"id": each.value, "name": wording.capital(translated(each.label))}
        for each in fields_of(Target(target))
    ]


def shown_condition(row: Row, index: int, choices: Choices) -> Row:
    """A condition with its choices, and the type of input for its value."""
    field_, operator = Field(row["field"]), Operator(row["operator"])
    options = _options(field_, choices)
    value = str(row.get("value") or "")
    return {
        "index": index,
        "path": f"{CONDITIONS}.{index}",
        "field": field_.value,
        "operator": operator.value,
        "operators": [
            {"id": each.value, "name": rule_wording.operator_text(field_, each)}
            for each in operators_of(field_)
        ],
        "widget": widget(field_, operator),
        "value": value,
        "values": [part.strip() for part in value.split(",")],
        "last": str(row.get("last") or ""),
        "options": options,
    }


def shown_effect(row: Row, index: int, choices: Choices) -> Row:
    """An effect with its choices."""
    key = FIELD_OF[EffectKind(row["kind"])]
    return {
        "index": index,
        "path": f"effects.{index}",
        "kind": row["kind"],
        "key": key,
        "value": str(row.get(key) or ""),
        "options": choices.get(key),
    }


def widget(field_: Field, operator: Operator) -> str:
    """The type of input for a condition's value.

    >>> widget(Field.AMOUNT, Operator.BETWEEN), widget(Field.PROJECT, Operator.IN), widget(Field.IBAN, Operator.IN)
    ('amounts', 'several', 'text')
    """
    kind = field_.kind
    if operator in WITHOUT_VALUE:
        return "none"
    if kind in CHOICES_OF_KIND or kind is ValueKind.ID:
        return "several" if operator in SEVERAL else "choice"
    if operator in SEVERAL or kind in (ValueKind.TEXT, ValueKind.IDENTIFIER, ValueKind.CURRENCY):
        return "text"
    plain = "day" if kind is ValueKind.DAY else "amount"
    return f"{plain}s" if operator is Operator.BETWEEN else plain


def _options(field_: Field, choices: Choices) -> Sequence[Any]:
    if field_.id_key:
        return [
            {
                "id": str(each.id),
                "name": each.name,
                "is_archived": getattr(each, "is_archived", False),
                "merged_into_id": getattr(each, "merged_into_id", None),
            }
            for each in choices[field_.id_key]
        ]
    return [
        {
            "id": word,
            "name": wording.capital(
                translated(rule_wording.DIRECTIONS.get(word, word.replace("_", " ").lower()))
            ),
        }
        for word in CHOICES_OF_KIND.get(field_.kind, ())
    ]
