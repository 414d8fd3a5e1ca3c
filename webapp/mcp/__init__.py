"""The Model Context Protocol: the door for models, whose tools make the same calls as programs."""

from flask import Flask

from webapp.mcp import endpoint


def register(app: Flask) -> None:
    """Register the one address of the protocol."""
    app.register_blueprint(endpoint.bp)
