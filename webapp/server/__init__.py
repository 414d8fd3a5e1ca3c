"""The web server: gunicorn with our settings, whose worker gives its threads only whole requests."""

from webapp.server.serving import serve

__all__ = ["serve"]
