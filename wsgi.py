"""Where a WSGI server finds the application, and `flask --app wsgi` the commands of `tieout`."""

import os
from pathlib import Path

from webapp import create_app
from webapp.cli import PLACES, main
from webapp.database import stop

# What the application writes is its owner's only, as with the command `tieout`.
os.umask(0o077)
app = create_app()
stop.clear(Path(app.instance_path))
for name in PLACES:
    command = main.get_command(None, name)  # type: ignore[arg-type]
    app.cli.add_command(command)
