"""What the daemon keeps of itself. Nothing here is evidence, and all of it may go."""

from datetime import datetime

from sqlalchemy import JSON
from sqlmodel import Field, SQLModel
from sqlmodel.sql.sqltypes import UTCDateTime

from watcher.store.tables.types import Long


class ServiceSampleRow(SQLModel, table=True):
    """What the objectives looked at, at one time: values by the name of the series."""

    __tablename__ = "service_sample"

    at: datetime = Field(primary_key=True, sa_type=UTCDateTime)
    samples: dict[str, float] = Field(sa_type=JSON)


class ServiceAlertRow(SQLModel, table=True):
    """How an alert on an error budget stands, so that a restart neither ends nor repeats it."""

    __tablename__ = "service_alert"

    key: str = Field(primary_key=True)
    looked_at: datetime = Field(sa_type=UTCDateTime)
    active_since: datetime | None = Field(default=None, sa_type=UTCDateTime)
    firing_since: datetime | None = Field(default=None, sa_type=UTCDateTime)
    value: float


class CitationFaultRow(SQLModel, table=True):
    """A citation that the audit found broken, until it finds it whole again."""

    __tablename__ = "citation_fault"

    citation_id: str = Field(primary_key=True)
    document_id: str = Field(foreign_key="document.document_id")
    reason: str
    at: datetime = Field(sa_type=UTCDateTime)


class ServiceTallyRow(SQLModel, table=True):
    """How often something of few events ended how, and when last."""

    __tablename__ = "service_tally"

    kind: str = Field(primary_key=True)
    result: str = Field(primary_key=True)
    count: int = Field(sa_type=Long)
    last: datetime = Field(sa_type=UTCDateTime)
