"""What addresses may be asked beside their path: the same everywhere, and nothing else."""

from tests.security.addresses import addresses_of
from webapp.web.selections import general_names, record_of


def test_every_list_can_be_counted_and_asked_for_less(ada, app, ids):
    """Whichever list is added, this walks it."""
    for address in addresses_of(app):
        record = record_of(app.view_functions[address.endpoint])
        if address.method == "GET" and address.is_api and record is not None:
            query = f"fields={record.names[0]}" + ("&count=true" if record.is_page else "")
            answer = ada.get(f"{address.path(ids)}?{query}")
            assert answer.status_code == 200, (address.name, answer.json)
            held = answer.json[record.key]
            for each in held if isinstance(held, list) else [held]:
                assert each.keys() == {record.names[0]}, address.name
            if record.is_page:
                assert answer.json["total"] >= len(held), address.name


def test_an_unknown_parameter_is_refused_with_the_valid_ones_everywhere(ada, app, ids):
    for address in addresses_of(app):
        view = app.view_functions[address.endpoint]
        if address.is_api and not view.is_documented and address.method == "GET":
            answer = ada.get(f"{address.path(ids)}?colour=red")
            assert (answer.status_code, answer.json["code"]) == (422, "validation"), address.name
            (sentence,) = answer.json["fields"]["colour"]
            assert sentence.startswith("This is not known here; known are: "), address.name
            with app.test_request_context():
                names = general_names(view)
            assert all(name in sentence for name in names), (address.name, sentence)
