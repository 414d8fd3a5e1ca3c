"""The demo's books in a folder of their own, served while a script works on them."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar

from werkzeug.serving import make_server

from webapp import create_app
from webapp.config import Settings
from webapp.database.sessions import begin_write, db
from webapp.demo import studio
from webapp.migrations.upgrades import upgrade
from webapp.models import User
from webapp.services.access import users
from webapp.services.demo import making

# A month after the last statement of the demo's current account, which is half reconciled then.
DAY = date(2026, 11, 21)
Prepared = TypeVar("Prepared")


@contextmanager
def served(prepare: Callable[[User, datetime], Prepared]) -> Iterator[tuple[str, Prepared]]:
    """Serve the demo's books; gives the address, and what is prepared for their owner in the same transaction."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database_url=f"sqlite:///{folder}/books.sqlite", instance_path=Path(folder))
        app = create_app(settings)
        with app.app_context():
            upgrade(db.engine)
            begin_write()
            now = datetime.now(UTC)
            owner = users.find_or_create(studio.OWNER_EMAIL, name=studio.OWNER_NAME, now=now)
            making.make(owner, seed=1, day=DAY)
            prepared = prepare(owner, now)
            db.session.commit()
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.port}", prepared
        finally:
            server.shutdown()
            thread.join()
