"""The tables. Rows are dumb: nothing outside the store ever sees one.

`evidence` holds what was seen and what it says, `citing` who relies on it,
`work` what is still to do, `judging` how changes were judged, `operating` what
persons did, `serving` who may ask and what became of changes, `service` how the
daemon itself fares.
Names and types are those that both SQLite and PostgreSQL know. Which rows may
change, and how, is written in `watcher.store.write_once`.
"""

from sqlalchemy import Table
from sqlmodel import SQLModel

from watcher.store.tables.citing import (
    CitationRow,
    CitationSegmentRow,
    EmissionRow,
    EmissionWithdrawalRow,
    HoldReleaseRow,
    HoldRow,
    StatementRow,
    StatementTallyRow,
)
from watcher.store.tables.evidence import (
    BecameCurrentRow,
    CaptureDecisionRow,
    CaptureRow,
    ChunkRow,
    DocumentRow,
    ObservationRow,
    PageRow,
    ReadingDetailRow,
    ReadingRow,
    RenditionRow,
    StoredTextRow,
    TombstoneRow,
    VersionRow,
)
from watcher.store.tables.judging import (
    DateDecisionRow,
    DateScanRow,
    EffectiveDateRow,
    ReviewRow,
    ReviewSampleRow,
    RuleSetRow,
)
from watcher.store.tables.operating import (
    BackupRow,
    OperatorActRow,
    SilencedRow,
    SilenceRow,
)
from watcher.store.tables.service import (
    CitationFaultRow,
    ServiceAlertRow,
    ServiceSampleRow,
    ServiceTallyRow,
)
from watcher.store.tables.serving import (
    AnchoredRow,
    ApiTokenRevocationRow,
    ApiTokenRow,
    DocumentAccessRow,
    TriageRow,
)
from watcher.store.tables.work import (
    BlobRemovalRow,
    ChangeRow,
    ClassificationRow,
    HunkRow,
    IncidentRow,
    OutboxRow,
    TextMapRow,
)

__all__ = ["METADATA"]

METADATA = SQLModel.metadata
"""Every table of the schema, for migrations and for the trigger set."""


def _table(model: type[SQLModel]) -> Table:
    return METADATA.tables[str(model.__tablename__)]


document = _table(DocumentRow)
observation = _table(ObservationRow)
capture = _table(CaptureRow)
capture_decision = _table(CaptureDecisionRow)
rendition = _table(RenditionRow)
reading = _table(ReadingRow)
reading_detail = _table(ReadingDetailRow)
became_current = _table(BecameCurrentRow)
version = _table(VersionRow)
stored_text = _table(StoredTextRow)
page = _table(PageRow)
chunk = _table(ChunkRow)
tombstone = _table(TombstoneRow)
citation = _table(CitationRow)
citation_segment = _table(CitationSegmentRow)
emission = _table(EmissionRow)
emission_withdrawal = _table(EmissionWithdrawalRow)
hold = _table(HoldRow)
hold_release = _table(HoldReleaseRow)
statement = _table(StatementRow)
statement_tally = _table(StatementTallyRow)
change = _table(ChangeRow)
classification = _table(ClassificationRow)
hunk = _table(HunkRow)
text_map = _table(TextMapRow)
outbox = _table(OutboxRow)
incident = _table(IncidentRow)
operator_act = _table(OperatorActRow)
blob_removal = _table(BlobRemovalRow)
rule_set = _table(RuleSetRow)
review_sample = _table(ReviewSampleRow)
review = _table(ReviewRow)
date_scan = _table(DateScanRow)
effective_date = _table(EffectiveDateRow)
date_decision = _table(DateDecisionRow)
silence = _table(SilenceRow)
silenced = _table(SilencedRow)
backup = _table(BackupRow)
api_token = _table(ApiTokenRow)
api_token_revocation = _table(ApiTokenRevocationRow)
document_access = _table(DocumentAccessRow)
triage = _table(TriageRow)
anchored = _table(AnchoredRow)
service_sample = _table(ServiceSampleRow)
service_alert = _table(ServiceAlertRow)
citation_fault = _table(CitationFaultRow)
service_tally = _table(ServiceTallyRow)
