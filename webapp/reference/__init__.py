"""What the interface says of itself: the OpenAPI document, the pages and the Markdown that are made from it."""
