-- What Kafka holds, as rows. Change this freely: a file of another schema is replaced by an empty one.
-- A reader of some tenants sees only their rows of each table that has a tenant.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

-- Written in the same transaction as the rows that the records before it made.
CREATE TABLE position (
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  next INTEGER NOT NULL,
  PRIMARY KEY (topic, partition)
) WITHOUT ROWID;

-- One row for each item, small enough that a million of them are read quickly: its state is beside.
CREATE TABLE item (
  key TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT NOT NULL,
  state TEXT NOT NULL,
  turn INTEGER NOT NULL,
  reason TEXT,
  revision TEXT NOT NULL,
  priority INTEGER NOT NULL,
  url TEXT,
  updated_at TEXT NOT NULL,
  waiting_since TEXT,
  spent_micros INTEGER NOT NULL,
  text TEXT NOT NULL
);

CREATE INDEX item_by_turn ON item (turn, priority, key);
CREATE INDEX item_by_tenant ON item (tenant, turn, priority, key);
CREATE INDEX item_by_source ON item (source, turn, priority, key);
CREATE INDEX item_by_tenant_waiting ON item (tenant, waiting_since) WHERE waiting_since IS NOT NULL;

CREATE TABLE item_state (
  key TEXT PRIMARY KEY,
  tenant TEXT AS (substr(key, 1, instr(key, '/') - 1)),
  json TEXT NOT NULL
);

CREATE TABLE item_count (
  tenant TEXT NOT NULL,
  state TEXT NOT NULL,
  items INTEGER NOT NULL,
  waiting INTEGER NOT NULL,
  PRIMARY KEY (tenant, state)
) WITHOUT ROWID;

CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
  INSERT INTO item_count (tenant, state, items, waiting)
    VALUES (new.tenant, new.state, 1, new.waiting_since IS NOT NULL)
    ON CONFLICT (tenant, state)
    DO UPDATE SET items = items + 1, waiting = waiting + excluded.waiting;
END;

CREATE TRIGGER item_deleted AFTER DELETE ON item BEGIN
  UPDATE item_count SET items = items - 1, waiting = waiting - (old.waiting_since IS NOT NULL)
    WHERE tenant = old.tenant AND state = old.state;
END;

CREATE TRIGGER item_moved AFTER UPDATE OF state, waiting_since ON item
  WHEN old.state <> new.state
    OR (old.waiting_since IS NULL) <> (new.waiting_since IS NULL) BEGIN
  UPDATE item_count SET items = items - 1, waiting = waiting - (old.waiting_since IS NOT NULL)
    WHERE tenant = old.tenant AND state = old.state;
  INSERT INTO item_count (tenant, state, items, waiting)
    VALUES (new.tenant, new.state, 1, new.waiting_since IS NOT NULL)
    ON CONFLICT (tenant, state)
    DO UPDATE SET items = items + 1, waiting = waiting + excluded.waiting;
END;

CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  tenant TEXT AS (substr(subject, 1, instr(subject, '/') - 1)),
  time TEXT NOT NULL,
  type TEXT NOT NULL,
  source TEXT NOT NULL,
  session TEXT,
  data TEXT NOT NULL
);

CREATE INDEX event_by_subject ON event (subject, id);

-- Old events are deleted by their time.
CREATE INDEX event_by_time ON event (time);

CREATE TABLE session (
  id TEXT PRIMARY KEY,
  item TEXT NOT NULL,
  tenant TEXT NOT NULL,
  runner TEXT,
  pid INTEGER,
  level TEXT,
  processes INTEGER,
  doing TEXT,
  progress_at TEXT,
  hung INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  attempt INTEGER,
  started_at TEXT,
  agent TEXT,
  profile TEXT,
  model TEXT,
  outcome TEXT,
  reason TEXT,
  ended_at TEXT,
  waiting_ms INTEGER NOT NULL DEFAULT 0,
  running_ms INTEGER NOT NULL DEFAULT 0,
  exit_code INTEGER,
  signal INTEGER,
  processes_peak INTEGER,
  survivors INTEGER,
  limit_ms INTEGER
) WITHOUT ROWID;

CREATE INDEX session_by_end ON session (ended_at, id);
CREATE INDEX session_by_tenant ON session (tenant, ended_at, id);

CREATE TABLE lease (
  session TEXT PRIMARY KEY,
  item TEXT NOT NULL,
  tenant TEXT NOT NULL,
  runner TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  claimed_at TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX lease_by_item ON lease (item);

CREATE TABLE runner (
  id TEXT PRIMARY KEY,
  level TEXT NOT NULL,
  slots INTEGER NOT NULL,
  refusing TEXT
) WITHOUT ROWID;

CREATE TABLE pause (
  scope TEXT PRIMARY KEY,
  line TEXT NOT NULL
) WITHOUT ROWID;

-- What waits for a session, with its place in the order.
CREATE TABLE request (
  item TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  provider TEXT,
  source TEXT NOT NULL,
  tenant TEXT AS (substr(source, 1, instr(source, '/') - 1)),
  turn INTEGER NOT NULL,
  profile TEXT NOT NULL DEFAULT 'default'
) WITHOUT ROWID;

CREATE INDEX request_by_source ON request (source, turn);

CREATE TABLE analysis (
  item TEXT PRIMARY KEY,
  tenant TEXT AS (substr(item, 1, instr(item, '/') - 1)),
  json TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE counter (
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (tenant, name)
) WITHOUT ROWID;

-- The newest polls of each source; a poll that has not ended has no end.
CREATE TABLE poll (
  source TEXT NOT NULL,
  tenant TEXT NOT NULL,
  poll TEXT NOT NULL,
  started_at TEXT,
  ended_at TEXT,
  result TEXT,
  reason TEXT,
  category TEXT,
  polled INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  duplicates INTEGER NOT NULL DEFAULT 0,
  invalid INTEGER NOT NULL DEFAULT 0,
  at TEXT NOT NULL,
  next TEXT,
  PRIMARY KEY (source, poll)
) WITHOUT ROWID;

CREATE INDEX poll_by_time ON poll (source, at);

CREATE TABLE breaker (
  source TEXT PRIMARY KEY,
  tenant TEXT AS (substr(source, 1, instr(source, '/') - 1)),
  state TEXT NOT NULL,
  until TEXT,
  reason TEXT
) WITHOUT ROWID;

CREATE TABLE dead_letter (
  part INTEGER NOT NULL,
  position INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  key TEXT,
  at TEXT NOT NULL,
  reason TEXT NOT NULL,
  topic TEXT NOT NULL,
  partition INTEGER NOT NULL,
  offset INTEGER NOT NULL,
  by TEXT NOT NULL,
  PRIMARY KEY (part, position)
) WITHOUT ROWID;

CREATE INDEX dead_letter_by_time ON dead_letter (at, part, position);

-- What operators did: commands on items, and entries of the ledger with their offset there.
CREATE TABLE action (
  id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  tenant TEXT NOT NULL,
  who TEXT NOT NULL,
  what TEXT NOT NULL,
  target TEXT NOT NULL,
  why TEXT NOT NULL,
  applied INTEGER NOT NULL,
  detail TEXT,
  ledger_offset INTEGER
) WITHOUT ROWID;

CREATE INDEX action_by_time ON action (at, id);
CREATE INDEX action_by_target ON action (target, ledger_offset) WHERE ledger_offset IS NOT NULL;

-- Events that say that an invariant is broken, until they are withdrawn or an hour old.
CREATE TABLE alarm (
  rule TEXT NOT NULL,
  session TEXT NOT NULL,
  amount INTEGER NOT NULL,
  since TEXT NOT NULL,
  reported TEXT NOT NULL,
  PRIMARY KEY (rule, session)
) WITHOUT ROWID;

-- The newest record of each window of the metrics topic.
CREATE TABLE metric_window (
  size TEXT NOT NULL,
  start TEXT NOT NULL,
  tenant TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (size, start, tenant)
) WITHOUT ROWID;

-- What was counted of each minute of each tenant, as long as late events may follow.
CREATE TABLE metric_count (
  start INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  value INTEGER NOT NULL,
  PRIMARY KEY (start, tenant, name)
) WITHOUT ROWID;

-- From when to when sessions were live, as long as their windows may change.
CREATE TABLE metric_span (
  session TEXT PRIMARY KEY,
  tenant TEXT NOT NULL,
  claimed INTEGER NOT NULL,
  seen INTEGER NOT NULL,
  ended INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX metric_span_by_time ON metric_span (tenant, seen);

-- Windows whose record of the metrics topic has to be written.
CREATE TABLE metric_due (
  start INTEGER NOT NULL,
  size TEXT NOT NULL,
  tenant TEXT NOT NULL,
  PRIMARY KEY (start, size, tenant)
) WITHOUT ROWID;

-- What readers ask of several tables, with the tenant as in the tables.
CREATE VIEW running AS
  SELECT lease.tenant, lease.session, lease.item, lease.runner, lease.attempt, claimed_at AS since,
    limit_ms AS own_limit_ms, max(lease.tokens, coalesce(session.tokens, 0)) AS tokens,
    max(lease.cost_micros, coalesce(session.cost_micros, 0)) AS cost_micros, pid, level, processes,
    doing, progress_at, coalesce(hung, 0) AS hung, item.title
  FROM lease LEFT JOIN session ON session.id = lease.session
    LEFT JOIN item ON item.key = lease.item;

CREATE VIEW ended AS
  SELECT session.*, session.id AS session, item.title
  FROM session LEFT JOIN item ON item.key = session.item WHERE ended_at IS NOT NULL;

CREATE VIEW known_session AS
  SELECT known.*, (SELECT min(time) FROM event
      WHERE subject = known.item AND event.session = known.session) AS since,
    (SELECT min(id) FROM event
      WHERE subject = known.item AND event.session = known.session) AS first_event,
    EXISTS (SELECT 1 FROM lease WHERE lease.session = known.session) AS live
  FROM (SELECT id AS session, item, tenant FROM session
    UNION SELECT session, item, tenant FROM lease) AS known;

-- An attempt that was left to the producer that holds the lease is no poll, unless there is no other.
CREATE VIEW source_status AS
  SELECT newest.*,
    (SELECT ended_at FROM poll WHERE source = newest.source AND result = 'finished'
      ORDER BY at DESC LIMIT 1) AS last_success,
    CASE WHEN state <> 'closed' THEN until
      ELSE (SELECT next FROM poll WHERE source = newest.source AND next IS NOT NULL
        ORDER BY at DESC LIMIT 1) END AS next,
    coalesce(state, 'closed') AS breaker,
    CASE WHEN state <> 'closed' THEN breaker.reason END AS reason
  FROM (SELECT tenant, source, source AS last_source, poll AS last_poll,
      started_at AS last_started_at, ended_at AS last_ended_at, result AS last_result,
      reason AS last_reason, category AS last_category, polled AS last_polled,
      changed AS last_changed, duplicates AS last_duplicates, invalid AS last_invalid,
      row_number() OVER (PARTITION BY source ORDER BY category IS 'lease', at DESC, poll DESC)
        AS place FROM poll) AS newest
    LEFT JOIN breaker ON breaker.source = newest.source
  WHERE place = 1;

CREATE VIEW dead_letter_row AS
  SELECT dead_letter.*, part || '.' || position AS place,
    (SELECT state FROM item WHERE item.key = dead_letter.key) AS now
  FROM dead_letter;

-- Several programs with different clocks write a session's events, and topics arrive in any order:
-- an event of a session comes no earlier than what leads to it in an attempt.
CREATE VIEW timeline AS
  WITH step (name, place) AS (VALUES
    ('item.changed', 1), ('item.duplicate', 1), ('item.reopened', 1), ('item.triaged', 2),
    ('session.requested', 3), ('session.claimed', 4), ('session.spawned', 5),
    ('session.identified', 6), ('session.result', 8), ('session.killed', 9),
    ('session.completed', 10), ('session.failed', 10), ('session.timedOut', 10),
    ('session.cancelled', 10), ('session.interrupted', 10), ('session.lost', 10),
    ('session.leaseEnded', 11))
  SELECT *, CASE WHEN session IS NULL THEN at ELSE max(at) OVER (
      PARTITION BY subject, session ORDER BY step, at ROWS UNBOUNDED PRECEDING) END AS after
  FROM (SELECT event.*, substr(time, 1, 23) AS at,
      coalesce(place, iif(type LIKE 'flyball.session.%', 7, 12)) AS step
    FROM event LEFT JOIN step ON type = 'flyball.' || name || '.v1');

-- What waits and has no session yet; a lane is what the ledger holds up together.
CREATE VIEW waiting AS
  SELECT request.tenant, request.item, request.source, request.turn,
    json_array(request.source, provider, profile) AS lane
  FROM request JOIN item ON item.key = request.item
  WHERE item.state = 'queued' AND NOT EXISTS (SELECT 1 FROM lease WHERE lease.item = request.item);

-- How many sessions each tenant has, and when it got the last one.
CREATE VIEW tenant_load AS
  WITH load AS MATERIALIZED (
    SELECT tenant, (SELECT count(*) FROM lease WHERE lease.tenant = one.tenant) AS live,
      max(
        coalesce((SELECT max(claimed_at) FROM lease WHERE lease.tenant = one.tenant), ''),
        coalesce((SELECT started_at FROM session
          WHERE session.tenant = one.tenant AND started_at IS NOT NULL
          ORDER BY ended_at DESC LIMIT 1), '')) AS served
    FROM (SELECT DISTINCT tenant FROM item_count) AS one)
  SELECT * FROM load;
