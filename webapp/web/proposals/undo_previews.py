"""The preview of undoing a token's acts, which is a trial of a whole call like a dry run."""

from __future__ import annotations

from datetime import datetime

from webapp.services.undo import agent_undos
from webapp.services.undo.agent_undos import AgentUndo
from webapp.web import agents
from webapp.web.proposals.bounded_trials import bounded


def preview_undo(token_id: int, since: datetime, before: str | None) -> AgentUndo:
    """Preview undoing what a token did since an instant, so that nobody waits for it for long."""

    def preview() -> AgentUndo:
        return agent_undos.preview(agents.token(token_id), since, before=before, **agents.undoing())

    return bounded(preview)
