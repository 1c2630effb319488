-- When the newest published snapshot was changed, by the tracker's clock; rows from before do not know it.
ALTER TABLE known ADD COLUMN changed TEXT;

ALTER TABLE staged ADD COLUMN changed TEXT;
