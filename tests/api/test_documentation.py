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
