"""Serve the greeting on our own server, to see what that costs beside plain gunicorn.

PORT=8001 INSTANCE_PATH=FOLDER python -m benchmarks.serving.own_hello
"""

from benchmarks.serving.hello import app
from webapp.config import Settings
from webapp.server.serving import Server


class GreetingServer(Server):
    """Our server without books."""

    def _forget_connections(self) -> None:
        """There are none."""


if __name__ == "__main__":
    GreetingServer(app, Settings.from_environment(), "").run()
