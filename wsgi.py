"""Where a WSGI server finds the application."""

from webapp import create_app

app = create_app()
