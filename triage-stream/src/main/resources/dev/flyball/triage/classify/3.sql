-- What a call without an answer cost, as far as that is known. A row in state 'asked' with a cost is not booked yet.
ALTER TABLE batch ADD COLUMN cost_micros INTEGER;
ALTER TABLE batch ADD COLUMN tokens INTEGER;
