"""Projects, and the groups that they may belong to."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.db import Base
from webapp.models.base import BigId, Numbered, created, numbered, same_organization


class ProjectGroup(Numbered, Base):
    """A group of projects; an emoji that was not given is the empty string."""

    __tablename__ = "project_groups"
    __table_args__ = numbered()

    name: Mapped[str] = mapped_column(sa.String(255))
    emoji: Mapped[str] = mapped_column(sa.String(64), default="")
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = created()


class Project(Numbered, Base):
    """What postings can be told apart by, across accounts."""

    __tablename__ = "projects"
    __table_args__ = numbered(same_organization("group_id", "project_groups"))

    name: Mapped[str] = mapped_column(sa.String(255))
    emoji: Mapped[str | None] = mapped_column(sa.String(64))
    group_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = created()

    group: Mapped[ProjectGroup | None] = relationship(
        foreign_keys=group_id, primaryjoin=lambda: Project.group_id == ProjectGroup.id, lazy="joined"
    )
