"""The documentation of the API: the OpenAPI document, and the pages and the Markdown made from it."""
