"""The measure of all figures: plain Flask that greets, in an environment of its own, on plain gunicorn."""

from flask import Flask

app = Flask(__name__)


@app.get("/")
def hello() -> str:
    """Greet."""
    return "Hello, world!"
