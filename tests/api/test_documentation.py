"""What the interface says of itself."""


def test_the_openapi_document_says_how_to_authenticate(ada):
    document = ada.get("/api/openapi.json").json
    assert document["info"] == {"title": "Tieout", "version": "1.0.0"}
    assert document["security"] == [{"token": []}, {"session": []}]
    assert document["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}


def test_the_openapi_document_says_where_a_file_goes(ada):
    upload = ada.get("/api/openapi.json").json["paths"]["/api/feeds/imports"]["post"]
    form = upload["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form == {"$ref": "#/components/schemas/ImportForm"}


def test_a_page_lists_every_endpoint_with_its_scope(ada, app):
    by_token, by_session = ada.get("/api/docs"), ada.browser().get("/api/docs")
    for answer in (by_token, by_session):
        assert (answer.status_code, answer.mimetype) == (200, "text/html")
        assert "POST /api/reconciliations/accounts/{faId}/abandon" in answer.text
        assert "Finalize a transaction." in answer.text
    refused = app.test_client().get("/api/docs")
    assert (refused.status_code, refused.mimetype) == (401, "application/json")


def test_the_openapi_document_writes_paths_as_the_interface_document_does(ada):
    for _again in range(2):
        paths = ada.get("/api/openapi.json").json["paths"]
        abandon = paths["/api/reconciliations/accounts/{faId}/abandon"]
        assert [each["name"] for each in abandon["parameters"]] == ["faId"]
        assert paths["/api/transactions/{id}/confirm"]["parameters"][0]["name"] == "id"
        assert paths.keys() >= {"/api/projects/{id}", "/api/journal-entries/{id}", "/api/projects/groups"}
