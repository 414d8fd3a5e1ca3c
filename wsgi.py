"""Where a WSGI server finds the application, and `flask --app wsgi` the commands of `tieout`."""

from webapp import create_app
from webapp.cli import COMMANDS

app = create_app()
for command in COMMANDS:
    app.cli.add_command(command)
