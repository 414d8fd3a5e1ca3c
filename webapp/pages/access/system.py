"""The installation in the settings: what will hurt it, as far as an owner of one organization may know."""

from flask import Blueprint, Response, current_app, url_for

from webapp.config import Settings, version
from webapp.services.backups import records
from webapp.services.operating import diagnosis
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.rendering.htmx import redirect_to, render

bp = Blueprint("system", __name__, url_prefix="/settings/system")


@bp.get("")
@requires("admin")
def show() -> Response:
    """Show the version, and what will hurt the installation."""
    settings: Settings = current_app.config["SETTINGS"]
    findings = diagnosis.for_owners(settings, organization_id(), requests.now())
    return render("settings/system.html", version=version(), findings=findings)


@bp.post("/backups/dismiss")
@requires("admin")
def dismiss_backups() -> Response:
    """Leave the sentence about backups out of the hub for a week."""
    settings: Settings = current_app.config["SETTINGS"]
    records.note(settings.instance_path, dismissed=requests.now())
    return redirect_to(url_for("hub.index"))
