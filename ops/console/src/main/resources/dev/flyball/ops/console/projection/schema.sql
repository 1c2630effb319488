-- What Kafka holds, as rows. Change this freely: a file of another schema is replaced by an empty one.
-- A reader of some tenants sees only their rows of each table that has a tenant.

-- A lifecycle event is inserted here. Below each table that it changes is the trigger that folds it;
-- those triggers fire in no fixed order, so none needs what another writes.
--   name     session.claimed for the type flyball.session.claimed.v1
--   millis   its time in milliseconds; null if it came too late for its window
--   counter  whose windows count it: the tenant, or - for an event that belongs to none
--   outcome  of the session that it ends; null if it ends none
CREATE VIEW happened AS
  SELECT '' AS id, '' AS type, '' AS name, '' AS subject, '' AS tenant, '' AS source, '' AS time,
    0 AS millis, '' AS counter, '' AS session, '' AS outcome, '{}' AS data;
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
  text TEXT NOT NULL,
  sorted TEXT NOT NULL
);

CREATE INDEX item_by_turn ON item (turn, priority, sorted);
CREATE INDEX item_by_tenant ON item (tenant, turn, priority, sorted);
CREATE INDEX item_by_source ON item (source, turn, priority, sorted);
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

CREATE TRIGGER event_happened INSTEAD OF INSERT ON happened
  WHEN new.subject IS NOT NULL AND new.name <> 'session.progressed' BEGIN
  INSERT INTO event (subject, time, type, source, session, data)
    VALUES (new.subject, new.time, new.type, new.source, new.session,
      -- An answer is stored once, as the analysis.
      iif(new.data -> 'result' IS NULL, new.data, json_remove(new.data, '$.result')));
END;

-- The data are the newest value of each field of the session's events.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  item TEXT NOT NULL,
  tenant TEXT NOT NULL,
  progress_at TEXT,
  hung INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  started_at TEXT,
  outcome TEXT,
  reason TEXT,
  ended_at TEXT,
  data TEXT NOT NULL,
  runner TEXT AS (data ->> 'runner'),
  pid INTEGER AS (data ->> 'pid'),
  level TEXT AS (data ->> 'level'),
  processes INTEGER AS (data ->> 'processes'),
  doing TEXT AS (data ->> 'doing'),
  attempt INTEGER AS (data ->> 'attempt'),
  agent TEXT AS (data ->> 'agent'),
  profile TEXT AS (data ->> 'profile'),
  model TEXT AS (data ->> 'model'),
  limit_ms INTEGER AS (data ->> 'limitMs'),
  waiting_ms INTEGER AS (coalesce(data ->> 'waitingMs', 0)),
  running_ms INTEGER AS (coalesce(data ->> 'runningMs', 0)),
  exit_code INTEGER AS (data ->> 'exitCode'),
  signal INTEGER AS (data ->> 'signal'),
  processes_peak INTEGER AS (data ->> '$.receipt.processesPeak'),
  survivors INTEGER AS (data ->> '$.receipt.survivors')
) WITHOUT ROWID;

CREATE INDEX session_by_end ON session (ended_at, id);
CREATE INDEX session_by_tenant ON session (tenant, ended_at, id);

-- No event changes a session after its terminal event, so that a projection that is built again has
-- the same rows.
CREATE TRIGGER session_happened INSTEAD OF INSERT ON happened
  WHEN new.session IS NOT NULL AND new.name LIKE 'session.%' BEGIN
  INSERT INTO alarm (rule, session, amount, since, reported)
    SELECT 'TERMINAL', id, 1, new.time, new.time FROM session
    WHERE id = new.session AND outcome IS NOT NULL AND new.outcome IS NOT NULL
    ON CONFLICT DO UPDATE SET reported = new.time;
  INSERT INTO session (id, item, tenant, progress_at, hung, tokens, cost_micros, started_at, data)
    VALUES (new.session, new.subject, new.tenant,
      CASE WHEN new.name IN ('session.spawned', 'session.identified', 'session.recovered')
          THEN new.time
        -- A report of its runner, which contains how long the agent itself has been silent.
        WHEN new.name = 'session.progressed' THEN strftime('%Y-%m-%dT%H:%M:%f', new.time,
          (coalesce(new.data ->> 'outputAgeMs', 0) / -1000.0) || ' seconds') || '000000Z' END,
      new.name = 'session.hung',
      coalesce(new.data ->> 'tokens', 0
        + coalesce(new.data ->> 'inputTokens', 0) + coalesce(new.data ->> 'outputTokens', 0)),
      coalesce(new.data ->> 'costMicros', 0), iif(new.name = 'session.spawned', new.time, NULL),
      json_remove(new.data, '$.result'))
    ON CONFLICT DO UPDATE SET progress_at = coalesce(excluded.progress_at, progress_at),
      hung = iif(new.name IN ('session.spawned', 'session.identified', 'session.recovered'), 0,
        max(excluded.hung, hung)),
      tokens = max(excluded.tokens, tokens), cost_micros = max(excluded.cost_micros, cost_micros),
      started_at = coalesce(started_at, excluded.started_at),
      data = json_patch(data, excluded.data)
    WHERE outcome IS NULL;
  INSERT INTO counter (tenant, name, value)
    SELECT tenant, 'deserved:' || (new.data ->> 'deserved'), 1 FROM session
    WHERE id = new.session AND outcome IS NULL AND new.outcome IS NOT NULL
      AND new.data ->> 'deserved' IS NOT NULL
    ON CONFLICT DO UPDATE SET value = value + 1;
  UPDATE session SET hung = 0, outcome = new.outcome, reason = new.data ->> 'reason',
      ended_at = new.time
    WHERE id = new.session AND outcome IS NULL AND new.outcome IS NOT NULL;
END;

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

-- What one analysis has cost on average until now: all spend by the completed sessions, over all
-- tenants; 0 before the first. It is the estimate of what was saved where no session started.
CREATE VIEW average_cost AS
  SELECT coalesce(sum(CASE name WHEN 'cost' THEN value END)
    / sum(CASE name WHEN 'ended:completed' THEN value END), 0) AS micros FROM counter;

CREATE TRIGGER session_counted AFTER UPDATE OF outcome ON session WHEN old.outcome IS NULL BEGIN
  INSERT INTO counter (tenant, name, value)
    VALUES (new.tenant, 'ended:' || new.outcome, 1), (new.tenant, 'cost', new.cost_micros)
    ON CONFLICT DO UPDATE SET value = value + excluded.value;
END;

-- Takeovers of long ago would look like new ones where the projection is built again.
CREATE TRIGGER counter_happened INSTEAD OF INSERT ON happened BEGIN
  INSERT INTO counter (tenant, name, value)
    SELECT new.tenant, kind, amount FROM (
      SELECT 'cost' AS kind, new.data ->> 'costMicros' AS amount WHERE new.name = 'item.triaged'
      UNION ALL SELECT 'event:' || substr(new.name, instr(new.name, '.') + 1), 1
        WHERE new.name IN ('session.hung', 'item.rotated', 'item.deferred')
          -- A report of what cannot be ended is repeated; the kill is another event.
          OR (new.name = 'session.killed' AND coalesce(new.data ->> 'survivors', 0) = 0)
      UNION ALL SELECT 'takeovers', 1
        WHERE new.name = 'session.leaseEnded' AND new.data ->> 'endedBy' = 'expired'
          AND new.time > strftime('%Y-%m-%dT%H:%M:%f', 'now', '-1 hour'))
    WHERE amount > 0
    ON CONFLICT DO UPDATE SET value = value + excluded.value;
END;

-- Without a model an operator or an exclusion skipped it.
CREATE TRIGGER saved_happened INSTEAD OF INSERT ON happened
  WHEN new.name = 'item.duplicate'
    OR (new.name = 'item.skipped' AND new.data ->> 'model' IS NOT NULL) BEGIN
  INSERT INTO counter (tenant, name, value)
    SELECT new.tenant, iif(new.name = 'item.skipped', 'saved:triage', 'saved:dedup'), micros
    FROM average_cost WHERE micros > 0
    ON CONFLICT DO UPDATE SET value = value + excluded.value;
END;

CREATE TRIGGER analysis_counted AFTER INSERT ON analysis BEGIN
  INSERT INTO counter (tenant, name, value) VALUES (new.tenant, 'analyses', 1)
    ON CONFLICT DO UPDATE SET value = value + 1;
END;

-- The newest polls of each source, as the fields of their events: PollRow says which are shown. A poll
-- that has not ended has no endedAt.
CREATE TABLE poll (
  source TEXT NOT NULL,
  tenant TEXT NOT NULL,
  poll TEXT NOT NULL,
  at TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (source, poll)
) WITHOUT ROWID;

CREATE INDEX poll_by_time ON poll (source, at);

CREATE TRIGGER poll_happened INSTEAD OF INSERT ON happened WHEN new.name LIKE 'poll.%' BEGIN
  INSERT INTO poll (source, tenant, poll, at, json)
    SELECT new.subject, new.tenant, name, new.time,
      json_patch('{"polled": 0, "changed": 0, "duplicates": 0, "invalid": 0}',
        json_patch(new.data, iif(new.name = 'poll.started',
          json_object('source', new.subject, 'poll', name, 'startedAt', new.time),
          json_object('source', new.subject, 'poll', name, 'endedAt', new.time,
            'result', substr(new.name, 6)))))
    FROM (SELECT coalesce(new.data ->> 'poll', new.id) AS name) WHERE true
    ON CONFLICT DO UPDATE SET json = json_patch(json, excluded.json);
  DELETE FROM poll WHERE source = new.subject AND at <= (
    SELECT at FROM poll WHERE source = new.subject ORDER BY at DESC LIMIT 1 OFFSET 100);
END;

CREATE TABLE breaker (
  source TEXT PRIMARY KEY,
  tenant TEXT AS (substr(source, 1, instr(source, '/') - 1)),
  state TEXT NOT NULL,
  until TEXT,
  reason TEXT
) WITHOUT ROWID;

CREATE TRIGGER breaker_happened INSTEAD OF INSERT ON happened WHEN new.name LIKE 'breaker.%' BEGIN
  INSERT INTO breaker (source, state, until, reason)
    VALUES (new.subject,
      CASE new.name WHEN 'breaker.opened' THEN 'open' WHEN 'breaker.halfOpened' THEN 'halfOpen'
        ELSE 'closed' END,
      new.data ->> 'until', new.data ->> 'reason')
    ON CONFLICT DO UPDATE SET state = excluded.state, until = excluded.until,
      reason = excluded.reason;
END;

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

CREATE TRIGGER dead_letter_counted AFTER INSERT ON dead_letter BEGIN
  INSERT INTO counter (tenant, name, value) VALUES (new.tenant, 'dead-letters', 1)
    ON CONFLICT DO UPDATE SET value = value + 1;
END;

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

-- A command that is known already stays as it is.
CREATE TRIGGER action_happened INSTEAD OF INSERT ON happened WHEN new.name LIKE 'command.%' BEGIN
  INSERT INTO action (id, at, tenant, who, what, target, why, applied, detail)
    VALUES ('event:' || coalesce(new.data ->> 'commandId', new.id), new.time, new.tenant,
      coalesce(new.data ->> 'who', 'unknown'), coalesce(new.data ->> 'command', 'unknown'),
      new.subject, coalesce(new.data ->> 'reason', ''), new.name = 'command.done',
      coalesce(new.data ->> 'before', 'unknown')
        || iif(new.name = 'command.done', ' -> ' || coalesce(new.data ->> 'after', 'unknown'), ''))
    ON CONFLICT DO NOTHING;
END;

-- Events that say that an invariant is broken, until they are withdrawn or an hour old.
CREATE TABLE alarm (
  rule TEXT NOT NULL,
  session TEXT NOT NULL,
  amount INTEGER NOT NULL,
  since TEXT NOT NULL,
  reported TEXT NOT NULL,
  PRIMARY KEY (rule, session)
) WITHOUT ROWID;

CREATE TRIGGER alarm_happened INSTEAD OF INSERT ON happened
  WHEN new.session IS NOT NULL AND new.name LIKE 'session.%' BEGIN
  INSERT INTO alarm (rule, session, amount, since, reported)
    SELECT 'SURVIVORS', new.session, amount, new.time, new.time FROM (
      SELECT coalesce(new.data ->> '$.receipt.survivors', new.data ->> 'survivors') AS amount)
    WHERE amount > 0
    ON CONFLICT DO UPDATE SET amount = excluded.amount, reported = excluded.reported;
  DELETE FROM alarm WHERE rule = 'SURVIVORS' AND session = new.session
    AND coalesce(new.data ->> '$.receipt.survivors', new.data ->> 'survivors') = 0;
END;

-- The newest record of each window of the metrics topic.
CREATE TABLE metric_window (
  size TEXT NOT NULL,
  start TEXT NOT NULL,
  tenant TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (size, start, tenant)
) WITHOUT ROWID;

-- What was counted of each minute of each tenant, as long as late events may follow. Counters whose
-- name begins with most hold the largest value of all, others the sum.
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

CREATE TRIGGER metric_happened INSTEAD OF INSERT ON happened WHEN new.millis IS NOT NULL BEGIN
  -- Progress reports are too many to be counted; they show that their session is there.
  INSERT INTO metric_due (start, size, tenant)
    SELECT new.millis / column2 * column2, column1, new.counter
    FROM (VALUES ('1m', 60000), ('1h', 3600000))
    WHERE new.name <> 'session.progressed' OR EXISTS (
      SELECT 1 FROM metric_span
      WHERE session = new.session AND ended = 0 AND seen < new.millis / 60000 * 60000)
    ON CONFLICT DO NOTHING;
  -- Clocks of two machines differ: a session never ends before it was seen.
  UPDATE metric_span SET seen = max(seen, new.millis),
      ended = new.outcome IS NOT NULL OR new.name = 'session.leaseEnded'
    WHERE session = new.session AND ended = 0 AND new.name <> 'session.claimed';
  INSERT INTO metric_span (session, tenant, claimed, seen, ended)
    SELECT new.session, new.counter, new.millis, new.millis, 0
    WHERE new.session IS NOT NULL AND new.name = 'session.claimed'
    ON CONFLICT DO NOTHING;
  INSERT INTO metric_count (start, tenant, name, value)
    SELECT new.millis / 60000 * 60000, new.counter, kind, amount FROM (
      SELECT 'claimed' AS kind, 1 AS amount WHERE new.name = 'session.claimed'
      UNION ALL SELECT 'counts/' || iif(new.name = 'session.leaseEnded'
          AND new.data ->> 'endedBy' = 'expired', 'session.leaseExpired', new.name), 1
        WHERE new.outcome IS NULL AND new.name NOT IN ('session.claimed', 'session.progressed')
          AND (new.name <> 'session.killed' OR coalesce(new.data ->> 'survivors', 0) = 0)
      UNION ALL SELECT 'cost', new.data ->> 'costMicros'
        WHERE new.outcome IS NOT NULL OR new.name = 'item.triaged'
      UNION ALL SELECT 'saved', (SELECT micros FROM average_cost)
        WHERE new.name = 'item.duplicate'
          OR (new.name = 'item.skipped' AND new.data ->> 'model' IS NOT NULL)
      -- Each triage call once, however many items it judged.
      UNION ALL SELECT 'most batch/' || (new.data ->> 'batch'), 1
        WHERE new.name = 'item.triaged' AND new.data ->> 'batch' IS NOT NULL
      -- Of a tree that cannot be ended; its report is repeated, so they are not added up.
      UNION ALL SELECT 'most unended', new.data ->> 'survivors'
        WHERE new.name IN ('session.killed', 'session.orphanReaped')
      UNION ALL SELECT * FROM (
        SELECT 'ended/' || new.outcome, 1
        UNION ALL SELECT 'tokens', max(coalesce(new.data ->> 'tokens', 0),
          coalesce(new.data ->> 'inputTokens', 0) + coalesce(new.data ->> 'outputTokens', 0))
        UNION ALL SELECT 'survivors', new.data ->> '$.receipt.survivors'
        UNION ALL SELECT 'most processes', new.data ->> '$.receipt.processesPeak'
        -- The failure's code, for example wall-clock: the reason's text has no fixed values.
        UNION ALL SELECT 'kills/' || coalesce(new.data ->> '$.failure.code', new.outcome), 1
          WHERE json_array_length(new.data, '$.receipt.killSteps') > 0
        -- How many durations there are of each length; none of a session that was never started.
        UNION ALL SELECT column1 || max(0, coalesce(new.data ->> column2, 0)), 1
          FROM (VALUES ('running/', 'runningMs'), ('waiting/', 'waitingMs'))
          WHERE new.data ->> '$.receipt.level' IS NOT NULL
            OR new.data ->> '$.receipt.survivors' IS NULL)
        WHERE new.outcome IS NOT NULL)
    WHERE amount > 0
    ON CONFLICT DO UPDATE SET
      value = iif(name LIKE 'most %', max(value, excluded.value), value + excluded.value);
END;

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
    (SELECT json ->> 'endedAt' FROM poll
      WHERE source = newest.source AND json ->> 'result' = 'finished'
      ORDER BY at DESC LIMIT 1) AS last_success,
    CASE WHEN state <> 'closed' THEN until
      ELSE (SELECT json ->> 'next' FROM poll
        WHERE source = newest.source AND json ->> 'next' IS NOT NULL
        ORDER BY at DESC LIMIT 1) END AS next,
    coalesce(state, 'closed') AS breaker,
    CASE WHEN state <> 'closed' THEN breaker.reason END AS reason,
    CASE WHEN last ->> 'result' = 'failed' THEN (SELECT min(at) FROM poll
      WHERE source = newest.source AND json ->> 'result' = 'failed'
        AND at > coalesce((SELECT max(at) FROM poll
          WHERE source = newest.source AND json ->> 'result' = 'finished'), '')) END AS failing_since
  FROM (SELECT tenant, source, json AS last, row_number() OVER (
        PARTITION BY source ORDER BY json ->> 'category' IS 'lease', at DESC, poll DESC) AS place
      FROM poll) AS newest
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
    ('session.leaseEnded', 10), ('session.completed', 11), ('session.failed', 11),
    ('session.timedOut', 11), ('session.cancelled', 11), ('session.interrupted', 11),
    ('session.lost', 11))
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
