"""Documents in a test: files made up on the spot, and sent as a program sends them."""

from io import BytesIO

DOCUMENTS = "/api/documents"
PDF = b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


def pdf(words="Paid"):
    """Make a small PDF that no other test sends."""
    return PDF + f"% {words}\n".encode()


def sent(person, data=PDF, name="bill.pdf", **form):
    """Send a file with some fields; answers what came back."""
    parts = {"file": (BytesIO(data), name), **form}
    return person.post(DOCUMENTS, data=parts, content_type="multipart/form-data")


def filed(person, **fields):
    """File a document without a file; answers it."""
    answer = person.post(DOCUMENTS, json=fields)
    assert answer.status_code == 201, answer.json
    return answer.json["document"]


def read(person, document):
    return person.get(f"{DOCUMENTS}/{document['id']}").json["document"]


def changed(person, document, **changes):
    answer = person.patch(f"{DOCUMENTS}/{document['id']}", json=changes)
    assert answer.status_code == 200, answer.json
    return answer.json["document"]
