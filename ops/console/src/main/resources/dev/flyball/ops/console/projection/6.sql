-- A settled item with a newer snapshot that waits is not settled.
UPDATE item SET waiting_since = updated_at
  WHERE waiting_since IS NULL AND json_extract(json, '$.pending') IS NOT NULL;
