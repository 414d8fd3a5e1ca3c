"""The pages of accounts, merchants and projects: shown, made, changed, and refused where the act was made."""

from html import unescape

from tests.fixtures.helpers.marks import on_sqlite


def text(answer):
    return unescape(answer.text)


def test_the_chart_shows_accounts_with_their_balances(ada, books):
    books.post("2026-10-01 Rent\n    Rent  1300.00 EUR\n    Loans  -1300.00 EUR\n")
    page = text(ada.browser().get("/accounts"))
    assert "Chart of accounts" in page
    assert 'value="1300.00">1,300.00' in page
    assert 'value="-1300.00">−1,300.00' in page


@on_sqlite
def test_an_account_is_opened_and_a_refusal_keeps_what_was_typed(ada):
    browser = ada.browser()
    made = browser.post(
        "/accounts", data={"name": "Studio", "type": "EXPENSE", "code": "6105", "currency": ""}
    )
    assert (made.status_code, made.location) == (303, "/accounts")
    refused = browser.post("/accounts", data={"name": "Second", "type": "EXPENSE", "code": "6105"})
    assert refused.status_code == 409
    assert 'value="Second"' in refused.text
    assert "Another account has this code" in text(refused)


def test_an_account_is_changed_on_its_page(ada):
    account = ada.post("/api/accounts", json={"name": "Studio", "type": "EXPENSE"}).json["account"]
    browser, path = ada.browser(), f"/accounts/{account['id']}"
    assert "Save the account" in browser.get(path).text
    form = {
        "name": "Atelier",
        "type": "EXPENSE",
        "code": "",
        "currency": "",
        "parentId": "",
        "isWatched": "true",
    }
    assert browser.post(path, data=form).status_code == 303
    changed = ada.get(f"/api{path}").json["account"]
    assert (changed["name"], changed["isWatched"], changed["inScope"]) == ("Atelier", True, False)
    refused = browser.post(path, data={**form, "name": "Kept", "currency": "XXQ"})
    assert refused.status_code == 422
    assert 'value="Kept"' in refused.text
    assert browser.post(f"{path}/archive", data={"isArchived": "true"}).status_code == 303
    assert ada.get(f"/api{path}").json["account"]["isArchived"] is True


def test_an_account_is_marked_as_revalued_on_its_page(ada):
    account = ada.post("/api/accounts", json={"name": "Lent to Dan", "type": "ASSET"}).json["account"]
    browser, path = ada.browser(), f"/accounts/{account['id']}"
    form = {
        "name": "Lent to Dan",
        "type": "ASSET",
        "code": "",
        "currency": "",
        "parentId": "",
        "inScope": "true",
    }
    assert "Revalue" in browser.get(path).text
    assert browser.post(path, data={**form, "isRevalued": "true"}).status_code == 303
    assert ada.get(f"/api{path}").json["account"]["isRevalued"] is True
    assert "Revalued in other currencies" in browser.get(path).text
    assert browser.post(path, data=form).status_code == 303
    assert ada.get(f"/api{path}").json["account"]["isRevalued"] is False
    rent = next(
        each for each in ada.get("/api/accounts?limit=200").json["accounts"] if each["name"] == "Rent"
    )
    assert "Revalue" not in browser.get(f"/accounts/{rent['id']}").text


@on_sqlite
def test_an_account_that_the_books_need_says_why_it_is_not_archived(ada):
    every = ada.get("/api/accounts?limit=200").json["accounts"]
    system = next(account for account in every if account["isSystem"])
    answer = ada.browser().post(f"/accounts/{system['id']}/archive", data={"isArchived": "true"})
    assert answer.status_code == 409
    assert "cannot be archived" in text(answer)


@on_sqlite
def test_merchants_are_made_found_and_changed(ada):
    browser = ada.browser()
    assert "No customer or supplier yet" in browser.get("/merchants").text
    assert browser.post("/merchants", data={"name": "Deutsche Bahn", "website": ""}).status_code == 303
    assert "Deutsche Bahn" in browser.get("/merchants?q=BAHN").text
    assert "No customer or supplier has this name" in browser.get("/merchants?q=nobody").text
    refused = browser.post("/merchants", data={"name": "Kept", "website": "bahn"})
    assert refused.status_code == 422
    assert 'value="Kept"' in refused.text
    path = f"/merchants/{ada.get('/api/merchants').json['merchants'][0]['id']}"
    assert browser.post(path, data={"name": "DB", "website": "https://bahn.example"}).status_code == 303
    assert "https://bahn.example" in browser.get(path).text


def test_projects_are_shown_by_group_made_changed_and_deleted(ada):
    browser = ada.browser()
    assert browser.post("/projects/groups", data={"name": "Clients", "emoji": "🧑"}).status_code == 303
    group = ada.get("/api/projects/groups").json["groups"][0]
    form = {"name": "Website", "emoji": "", "groupId": str(group["id"])}
    assert browser.post("/projects", data=form).status_code == 303
    page = text(browser.get("/projects"))
    assert page.index("🧑 Clients") < page.index("Website")
    path = f"/projects/{ada.get('/api/projects').json['projects'][0]['id']}"
    assert browser.post(path, data={**form, "groupId": ""}).status_code == 303
    assert "Without a group" in browser.get("/projects").text
    group_path = f"/projects/groups/{group['id']}"
    assert browser.post(group_path, data={"name": "Customers", "emoji": ""}).status_code == 303
    assert "Customers" in browser.get(group_path).text
    assert browser.post(f"{group_path}/delete").status_code == 303
    assert browser.post(f"{path}/delete").status_code == 303
    assert ada.get("/api/projects").json["projects"] == []


@on_sqlite
def test_a_project_in_use_says_why_it_stays(ada):
    project = ada.post("/api/projects", json={"name": "Website"}).json["project"]["id"]
    effects = [{"kind": "SET_PROJECT", "projectId": project}]
    ada.post("/api/automations/rules", json={"name": "n", "effects": effects})
    answer = ada.browser().post(f"/projects/{project}/delete")
    assert answer.status_code == 409
    assert "Website is used by 1 rule" in text(answer)


@on_sqlite
def test_each_form_shows_its_own_refusal(ada):
    browser = ada.browser()
    refused = browser.post("/projects/groups", data={"name": "x" * 256})
    assert refused.status_code == 422
    assert refused.text.count('class="problem"') == 1
    assert browser.post("/projects", data={"name": "", "groupId": "99"}).status_code == 422


@on_sqlite
def test_a_viewer_sees_the_pages_without_their_forms(ada, cleo, dan):
    account = ada.get("/api/accounts").json["accounts"][0]["id"]
    for path in ("/accounts", f"/accounts/{account}", "/merchants", "/projects"):
        page = cleo.browser().get(path)
        assert page.status_code == 200
        assert 'method="post"' not in page.text.partition("<main")[2].partition("</main>")[0]
    assert cleo.browser().post("/accounts", data={"name": "x", "type": "ASSET"}).status_code == 403
    assert dan.browser().get(f"/accounts/{account}").status_code == 404
