"""Merchants over the API."""

from tests.fixtures.helpers.marks import on_sqlite


def make(person, name="Deutsche Bahn", **more):
    return person.post("/api/merchants", json={"name": name, **more}).json["merchant"]


def test_a_merchant_is_made_and_read(ada):
    answer = ada.post("/api/merchants", json={"name": "Deutsche Bahn", "website": "https://bahn.example"})
    assert answer.status_code == 201
    merchant = answer.json["merchant"]
    assert merchant == {
        "id": merchant["id"],
        "name": "Deutsche Bahn",
        "website": "https://bahn.example",
        "imageUrl": None,
        "logo": None,
        "termsDays": None,
        "vatIds": [],
        "ibans": [],
        "mergedIntoId": None,
    }
    assert ada.get(f"/api/merchants/{merchant['id']}").json == {
        "merchant": merchant,
        "untrusted": ["merchant.name"],
    }


@on_sqlite
def test_a_website_that_is_no_web_address_is_refused(ada):
    for website in ["bahn.example", "javascript:alert(1)", "https://", "https://[", 5, "https://a b", "//x"]:
        answer = ada.post("/api/merchants", json={"name": "x", "website": website})
        assert answer.status_code == 422
        assert "website" in answer.json["fields"]


def test_merchants_are_listed_a_to_z_and_searched(ada):
    for name in ("Hetzner", "deutsche Bahn", "Ärzteverein 100%"):
        make(ada, name)
    assert ada.get("/api/merchants").json["merchants"][0]["name"] == "deutsche Bahn"
    assert [one["name"] for one in ada.get("/api/merchants?q=ÄRZTE").json["merchants"]] == [
        "Ärzteverein 100%"
    ]
    assert [one["name"] for one in ada.get("/api/merchants?q=%25").json["merchants"]] == ["Ärzteverein 100%"]


def test_a_merchant_is_changed(ada):
    made = make(ada, website="https://bahn.example")
    changed = ada.patch(f"/api/merchants/{made['id']}", json={"website": None}).json["merchant"]
    assert (changed["name"], changed["website"]) == ("Deutsche Bahn", None)


def test_another_organization_sees_nothing(ada, dan):
    path = f"/api/merchants/{make(ada)['id']}"
    assert dan.get(path).status_code == 404
    assert dan.patch(path, json={"name": "x"}).status_code == 404
    assert dan.get("/api/merchants").json["merchants"] == []


@on_sqlite
def test_a_viewer_changes_nothing(ada, cleo):
    path = f"/api/merchants/{make(ada)['id']}"
    assert cleo.patch(path, json={"name": "x"}).status_code == 403
    assert cleo.post("/api/merchants", json={"name": "x"}).status_code == 403
