"""Projects and their groups over the API."""

import sqlalchemy as sa

from tests.fixtures.helpers.marks import on_sqlite
from webapp.database.sessions import db
from webapp.models import Posting


def make(person, name="Website", **more):
    return person.post("/api/projects", json={"name": name, **more}).json["project"]


def group(person, name="Clients", **more):
    return person.post("/api/projects/groups", json={"name": name, **more}).json["group"]


def test_a_project_is_read_with_every_key(ada):
    made = make(ada, emoji="🚀", groupId=group(ada, emoji="🧑")["id"])
    answer = ada.get(f"/api/projects/{made['id']}")
    assert answer.status_code == 200
    project = answer.json["project"]
    assert set(project) == {
        "id", "organizationId", "name", "emoji", "groupId", "group", "createdAt", "updatedAt"
    }  # fmt: skip
    assert project["organizationId"] == ada.organization_id
    assert project["group"] == {"id": project["groupId"], "name": "Clients", "emoji": "🧑"}
    assert project["createdAt"].endswith("Z")


def test_a_project_without_a_group_says_null(ada):
    project = ada.get(f"/api/projects/{make(ada)['id']}").json["project"]
    assert (project["emoji"], project["groupId"], project["group"]) == (None, None, None)


def test_reading_a_project_ignores_what_the_interface_does_not_name(ada):
    assert ada.get(f"/api/projects/{make(ada)['id']}?verbose=1").status_code == 200


@on_sqlite
def test_unknown_and_impossible_ids_answer_alike(ada):
    changing = "There is no record under this id; GET /api/projects lists those there are."
    for path in ["0", "-1", "01", "9223372036854775808", "abc", "1.0", "٣", "999"]:
        answers = ada.get(f"/api/projects/{path}"), ada.patch(f"/api/projects/{path}", json={})
        for answer, sentence in zip(answers, ("There is nothing here.", changing), strict=True):
            assert (answer.status_code, answer.json) == (404, {"error": sentence, "code": "not_found"})


def test_another_organization_sees_nothing(ada, dan):
    path = f"/api/projects/{make(ada)['id']}"
    for answer in (dan.get(path), dan.patch(path, json={"name": "Mine"}), dan.delete(path)):
        assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert dan.get("/api/projects").json["projects"] == []


def test_a_created_group_is_as_the_interface_says(ada):
    answer = ada.post("/api/projects/groups", json={"name": "Clients", "emoji": "🧑", "colour": "red"})
    assert answer.status_code == 201
    made = answer.json["group"]
    assert set(made) == {"id", "name", "emoji", "organizationId", "createdAt", "updatedAt"}
    assert (made["name"], made["emoji"]) == ("Clients", "🧑")


def test_a_group_without_an_emoji_has_the_empty_string_and_its_summary_null(ada):
    made = group(ada)
    assert made["emoji"] == ""
    assert make(ada, groupId=made["id"])["group"]["emoji"] is None


def test_a_name_of_1_to_255_characters_is_taken(ada):
    for name in ["a", "a" * 255, "💶" * 255]:
        assert ada.post("/api/projects/groups", json={"name": name}).json["group"]["name"] == name


@on_sqlite
def test_any_other_name_is_refused(ada):
    for name in ["", "a" * 256, None, 7, True, ["a"], "a\0b", "\ud800"]:
        for path in ("/api/projects/groups", "/api/projects"):
            answer = ada.post(path, json={"name": name})
            assert answer.status_code == 422
            assert "name" in answer.json["fields"]


@on_sqlite
def test_a_group_needs_a_name(ada):
    assert ada.post("/api/projects/groups", json={"emoji": "🧑"}).status_code == 422
    assert ada.post("/api/projects/groups").status_code == 422


@on_sqlite
def test_a_body_that_is_no_object_is_refused(ada):
    for body in [[], "text", 5, [{"name": "x"}]]:
        assert ada.post("/api/projects/groups", json=body).status_code == 422


def test_another_organizations_group_is_unknown(ada, dan):
    theirs = group(dan)["id"]
    for answer in (
        ada.post("/api/projects", json={"name": "x", "groupId": theirs}),
        ada.patch(f"/api/projects/{make(ada)['id']}", json={"groupId": theirs}),
    ):
        assert (answer.status_code, answer.json["code"]) == (422, "unknown_reference")
        assert answer.json["fields"] == {"groupId": ["There is nothing under this id."]}
    assert ada.get(f"/api/projects?groupId={theirs}").json["projects"] == []


@on_sqlite
def test_unknown_keys_of_our_own_endpoints_are_refused_by_name(ada):
    answer = ada.post("/api/projects", json={"name": "x", "colour": "red"})
    assert answer.status_code == 422
    assert "the valid ones are: emoji, groupId, name" in answer.json["fields"]["colour"][0]


def test_projects_are_listed_a_to_z_a_page_at_a_time(ada):
    for name in ("beta", "Alpha", "Ämter", "gamma\n", "alpha"):
        make(ada, name)
    names, cursor = [], ""
    while cursor is not None:
        page = ada.get(f"/api/projects?limit=1{cursor and '&cursor='}{cursor}").json
        names += [project["name"] for project in page["projects"]]
        cursor = page["nextCursor"]
    assert sorted(names) == sorted(["beta", "Alpha", "Ämter", "gamma\n", "alpha"])
    assert [name.lower() for name in names][:2] == ["alpha", "alpha"]


@on_sqlite
def test_a_bad_query_is_refused(ada):
    for query in ["limit=0", "limit=201", "limit=x", "cursor=x", "cursor=WzEsMl0", "colour=1"]:
        assert ada.get(f"/api/projects?{query}").status_code == 422


def test_a_project_changes_what_is_sent_and_nothing_else(ada):
    made = make(ada, emoji="🚀")
    changed = ada.patch(f"/api/projects/{made['id']}", json={"name": "Shop"}).json["project"]
    assert (changed["name"], changed["emoji"]) == ("Shop", "🚀")
    assert ada.patch(f"/api/projects/{made['id']}", json={}).status_code == 422


def test_a_group_is_renamed_and_deleted_and_its_projects_stay(ada):
    clients = group(ada)
    project = make(ada, groupId=clients["id"])
    path = f"/api/projects/groups/{clients['id']}"
    assert ada.patch(path, json={"name": "Customers", "emoji": None}).json["group"]["emoji"] == ""
    assert ada.get("/api/projects/groups").json["groups"][0]["name"] == "Customers"
    assert ada.delete(path).json == {"ok": True, "changed": True}
    assert ada.get(f"/api/projects/{project['id']}").json["project"]["groupId"] is None
    assert ada.delete(path).status_code == 404


def test_a_project_that_nothing_names_is_deleted(ada):
    path = f"/api/projects/{make(ada)['id']}"
    assert ada.delete(path).json == {"ok": True, "changed": True}
    assert ada.get(path).status_code == 404


def test_a_project_in_the_books_is_not_deleted(ada, books, app):
    project = make(ada)["id"]
    ada.post(
        "/api/journal-entries",
        json={
            "effectiveAt": "2026-10-02",
            "postings": [
                {"accountId": books.account_id("Rent"), "amount": "5.00", "projectId": project},
                {"accountId": books.account_id("Petty cash"), "amount": "-5.00"},
            ],
        },
    )
    answer = ada.delete(f"/api/projects/{project}")
    assert (answer.status_code, answer.json["code"]) == (409, "in_use")
    assert answer.json["details"] == {"documents": 0, "postings": 1, "rules": []}
    with app.app_context():
        assert db.session.scalar(sa.select(sa.func.count()).where(Posting.project_id == project)) == 1


def test_a_project_that_a_rule_names_is_not_deleted(ada):
    project = make(ada)["id"]
    rule = ada.post(
        "/api/automations/rules",
        json={"name": "n", "effects": [{"kind": "SET_PROJECT", "projectId": project, "sortOrder": 0}]},
    ).json["rule"]
    answer = ada.delete(f"/api/projects/{project}")
    assert answer.json["details"] == {"documents": 0, "postings": 0, "rules": [rule["id"]]}


@on_sqlite
def test_a_viewer_reads_and_changes_nothing(ada, cleo):
    path = f"/api/projects/{make(ada)['id']}"
    assert cleo.get(path).status_code == 200
    for answer in (
        cleo.post("/api/projects", json={"name": "x"}),
        cleo.post("/api/projects/groups", json={"name": "x"}),
        cleo.patch(path, json={"name": "x"}),
        cleo.delete(path),
    ):
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden")


def test_each_act_is_recorded_once_with_what_it_changed(ada):
    made = make(ada)
    path = f"/api/projects/{made['id']}"
    ada.patch(path, json={"name": "Shop"})
    ada.patch(path, json={"name": "Shop"})
    acts = ada.get("/api/action-requests").json["actionRequests"]
    assert [act["kind"] for act in acts][:2] == ["update_project", "create_project"]
    assert (acts[0]["before"], acts[0]["after"]) == ({"name": "Website"}, {"name": "Shop"})
    assert acts[0]["target"] == {"kind": "project", "id": str(made["id"])}


def test_a_documented_name_is_any_text_of_1_to_255_characters(ben):
    assert ben.post("/api/projects/groups", json={"name": " "}).status_code == 201
    rule = {"name": " ", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}]}
    assert ben.post("/api/automations/rules", json=rule).status_code == 201
