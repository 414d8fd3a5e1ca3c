"""OFX files in the hands of many banks: one content, written in every manner that is met."""

HEADER = """OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:{encoding}
CHARSET:{charset}
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

"""
XML_HEADER = """<?xml version="1.0" encoding="{charset}" standalone="no"?>
<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>
"""


def transaction(name="STMTTRN", **fields):
    """One transaction of the given fields, by their names in OFX; a None leaves one out."""
    usual = {"TRNTYPE": "DEBIT", "DTPOSTED": "20260302120000[-5:EST]", "TRNAMT": "-12.50", "FITID": "A1"}
    return (name, [item for item in {**usual, "NAME": "Paper shop", **fields}.items() if item[1] is not None])


def pending(**fields):
    usual = {"DTPOSTED": None, "FITID": None, "DTTRAN": "20260304"}
    return transaction("STMTTRNP", **{**usual, **fields})


def balance(amount="87.50", as_of="20260331", name="LEDGERBAL"):
    return (name, [("BALAMT", amount), ("DTASOF", as_of)])


def statement(*transactions, name="STMTRS", number="5501", currency="EUR", balances=None, waiting=()):
    """A statement of one account, in its message's wrapping."""
    account = "CCACCTFROM" if name == "CCSTMTRS" else "BANKACCTFROM"
    children = [("CURDEF", currency)] if currency is not None else []
    if number is not None:
        children.append((account, [("BANKID", "900"), ("ACCTID", number)]))
    children.append(("BANKTRANLIST", [("DTSTART", "20260301"), ("DTEND", "20260331"), *transactions]))
    if waiting:
        children.append(("BANKTRANLISTP", [("DTASOF", "20260331"), *waiting]))
    children += [balance()] if balances is None else balances
    return (name.replace("RS", "TRNRS"), [("TRNUID", "1"), status(), (name, children)])


def status(code="0", severity="INFO", message=None):
    return ("STATUS", [("CODE", code), ("SEVERITY", severity), *([("MESSAGE", message)] if message else [])])


def sign_on(said=None, bank="Harbour Bank"):
    return ("SIGNONMSGSRSV1", [("SONRS", [said or status(), ("FI", [("ORG", bank), ("FID", "7")])])])


def document(*messages, said=None):
    """The tree of a file: a sign-on and the messages."""
    return ("OFX", [sign_on(said), ("BANKMSGSRSV1", list(messages))])


def written(tree, *, closed=False, line_end="\n", lower=False):
    """A tree as text; fields are closed as XML has them, or left open as SGML may."""
    name, content = tree
    name = name.lower() if lower else name
    if isinstance(content, str):
        return f"<{name}>{content}{f'</{name}>' if closed else ''}{line_end}"
    inner = "".join(written(child, closed=closed, line_end=line_end, lower=lower) for child in content)
    return f"<{name}>{line_end}{inner}</{name}>{line_end}"


def sgml(*messages, said=None, charset="1252", encoding="USASCII"):
    """A file of OFX 1, its fields left open."""
    text = HEADER.format(charset=charset, encoding=encoding) + written(document(*messages, said=said))
    return text.encode("utf-8" if "UTF" in encoding else "cp1252")


def xml(*messages, said=None):
    """A file of OFX 2."""
    return (
        XML_HEADER.format(charset="UTF-8") + written(document(*messages, said=said), closed=True)
    ).encode()
