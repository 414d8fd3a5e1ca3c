"""The web server: gunicorn, whose workers answer with waitress what they have read whole."""
