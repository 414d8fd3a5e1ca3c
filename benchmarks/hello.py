"""Greet: the plain Flask application that every figure is compared with."""

from flask import Flask

app = Flask(__name__)


@app.get("/")
def hello() -> str:
    """Return a greeting."""
    return "Hello, world!"
