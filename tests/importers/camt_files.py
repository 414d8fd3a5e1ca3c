"""CAMT files written by hand for the tests: entries and statements as text, wrapped into a message."""

from xml.sax.saxutils import escape

OWN = "NL91ABNA0417164300"
OTHER = "DE89370400440532013000"
NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"


def tag(name, *content, **attributes):
    """An element with its content; text is escaped, an element is not."""
    inner = "".join(part if part.startswith("<") else escape(part) for part in content if part)
    named = "".join(f" {key}='{value}'" for key, value in attributes.items())
    return f"<{name}{named}>{inner}</{name}>"


def day(name, text):
    return tag(name, tag("DtTm" if "T" in text else "Dt", text))


def entry(
    amount="12.50", direction="DBIT", *details, booked="2026-03-02", valued=None, status="BOOK",
    reference="A1", currency="EUR", more="",
):  # fmt: skip
    """An entry; `details` are its payments."""
    return tag(
        "Ntry",
        tag("Amt", amount, Ccy=currency),
        tag("CdtDbtInd", direction),
        status and tag("Sts", tag("Cd", status)),
        booked and day("BookgDt", booked),
        valued and day("ValDt", valued),
        reference and tag("AcctSvcrRef", reference),
        tag("NtryDtls", *details) if details else None,
        more,
    )


def party(side, name, account=OTHER, *, newer=True):
    named = tag("Pty", tag("Nm", name)) if newer else tag("Nm", name)
    return tag(side, named) + (tag(f"{side}Acct", tag("Id", tag("IBAN", account))) if account else "")


def payment(parties="", text="Paper", end_to_end="NOTPROVIDED", more=""):
    return tag(
        "TxDtls",
        tag("Refs", tag("EndToEndId", end_to_end)),
        parties and tag("RltdPties", parties),
        text and tag("RmtInf", tag("Ustrd", text)),
        more,
    )


def balance(code, amount, on="2026-03-31", direction="CRDT", currency="EUR", sub=None):
    kind = tag("Tp", tag("CdOrPrtry", tag("Cd", code)), sub and tag("SubTp", tag("Cd", sub)))
    dated = day("Dt", on) if on else None
    return tag("Bal", kind, tag("Amt", amount, Ccy=currency), tag("CdtDbtInd", direction), dated)


def statement(*content, number=OWN, currency="EUR", name="Stmt"):
    identity = (
        tag("IBAN", number)
        if number[:2].isalpha() and number[2:4].isdigit()
        else tag("Othr", tag("Id", number))
    )
    account = tag("Acct", tag("Id", identity), currency and tag("Ccy", currency), tag("Nm", "Lantern Studio"))
    return tag(name, tag("Id", "S1"), account, *content)


def message(*statements, name="BkToCstmrStmt", namespace=NAMESPACE):
    """A whole file."""
    header = tag("GrpHdr", tag("MsgId", "M1"))
    document = tag("Document", tag(name, header, *statements), xmlns=namespace)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{document}'.encode()
