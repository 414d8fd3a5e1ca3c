"""Projects, and the groups that they may belong to."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.sessions import Base
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered, refers_to, updated


class ProjectGroup(Numbered, Base):
    """A group of projects; an emoji left out is the empty string."""

    __tablename__ = "project_groups"
    __table_args__ = numbered()

    name: Mapped[str] = mapped_column(sa.String(255))
    emoji: Mapped[str] = mapped_column(sa.String(64), default="")
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()


class Project(Numbered, Base):
    """A project, which postings of any account can belong to."""

    __tablename__ = "projects"
    __table_args__ = numbered(foreign_key("group_id", "project_groups"))

    name: Mapped[str] = mapped_column(sa.String(255))
    emoji: Mapped[str | None] = mapped_column(sa.String(64))
    group_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    group: Mapped[ProjectGroup | None] = relationship(
        foreign_keys=group_id, primaryjoin=lambda: refers_to(Project.group_id, ProjectGroup), lazy="joined"
    )
