"""What addresses may be asked beside their path: the same everywhere, and nothing else."""

import io

from tests.security.addresses import QUERIES, addresses_of
from webapp.web.access.selections import general_names, record_of


def test_every_list_can_be_counted_and_asked_for_less(ada, app, ids):
    """Whichever list is added, this walks it."""
    for address in addresses_of(app):
        record = record_of(app.view_functions[address.endpoint])
        if address.method == "GET" and address.is_api and record is not None:
            query = f"fields={record.names[0]}" + ("&count=true" if record.is_page else "")
            query += f"&{QUERIES.get(address.rule, '')}"
            answer = ada.get(f"{address.path(ids)}?{query}")
            assert answer.status_code == 200, (address.name, answer.json)
            held = answer.json[record.key]
            for each in held if isinstance(held, list) else [held]:
                assert each.keys() == {record.names[0]}, address.name
            if record.is_page:
                assert answer.json["total"] >= len(held), address.name


def test_every_list_that_knows_when_its_records_changed_can_leave_out_the_others(ada, app, ids):
    dated = []
    for address in addresses_of(app):
        record = record_of(app.view_functions[address.endpoint])
        if address.method == "GET" and address.is_api and record is not None and record.is_dated:
            answer = ada.get(f"{address.path(ids)}?updatedSince=2199-01-01T00:00:00Z&count=true").json
            assert (answer[record.key], answer["total"]) == ([], 0), address.name
            dated.append(address.name)
    assert len(dated) >= 6


def test_an_unknown_parameter_is_refused_with_the_valid_ones_everywhere(ada, app, ids):
    for address in addresses_of(app):
        view = app.view_functions[address.endpoint]
        if address.is_api and not view.is_documented and address.method == "GET":
            answer = ada.get(f"{address.path(ids)}?colour=red")
            assert (answer.status_code, answer.json["code"]) == (422, "validation"), address.name
            (sentence,) = answer.json["fields"]["colour"]
            assert sentence.startswith("This name is unknown; the valid ones are: "), address.name
            with app.test_request_context():
                names = general_names(view)
            assert all(name in sentence for name in names), (address.name, sentence)


def test_a_parameter_that_says_two_things_is_refused(ada, ids):
    """A filter that is sent twice would quietly be one of the two."""
    for path, name, values in (
        ("/api/transactions", "entryStatus", ("DRAFT", "POSTED")),
        ("/api/transactions", "updatedSince", ("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")),
        ("/api/reconciliations/accounts", "providerBalanceAsOf", ("2026-01-31", "2026-02-28")),
    ):
        answer = ada.get(path, query_string=[(name, value) for value in values])
        assert (answer.status_code, list(answer.json["fields"])) == (422, [name])
    for path, name in (("/api/documents", "sender"), ("/api/feeds/imports", "dryRun")):
        form = {name: ["true", "false"], "file": (io.BytesIO(b"%PDF-1.4\n%%EOF\n"), "bill.pdf")}
        answer = ada.post(path, data=form, content_type="multipart/form-data")
        assert (answer.status_code, list(answer.json["fields"])) == (422, [name])


def test_raw_bytes_that_are_no_text_are_refused_everywhere(ada, app, ids):
    """A client of Werkzeug's writes them as percent signs, so only a raw request shows them."""
    browser, raw = ada.browser(), {"environ_overrides": {"QUERY_STRING": "q=\xff\xfe"}}
    for address in addresses_of(app):
        ask = ada.ask if address.is_api else browser._ask  # noqa: SLF001
        answer = ask(address.method, address.path(ids), **(raw if address.is_api else {"options": raw}))
        assert answer.status_code == 400, (address.name, answer.status_code)
    readable = {"environ_overrides": {"QUERY_STRING": "q=Caf\xc3\xa9"}}
    assert ada.get("/api/transactions", **readable).status_code == 200
