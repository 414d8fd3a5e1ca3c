"""The preview of undoing the acts of a token or a plan, which is a trial of a whole call like a dry run."""

from __future__ import annotations

from collections.abc import Callable

from webapp.services.undo import agent_undos
from webapp.services.undo.agent_undos import AgentUndo, KeyActs, PlanActs
from webapp.web import agents
from webapp.web.proposals.bounded_trials import bounded


def preview_undo(acts: Callable[[], KeyActs | PlanActs]) -> AgentUndo:
    """Preview undoing acts, so that nobody waits for it for long; `acts` finds them in the books of the trial."""
    return bounded(lambda: agent_undos.preview(acts(), **agents.undoing()))
