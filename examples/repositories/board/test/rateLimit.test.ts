import assert from "node:assert/strict";
import { test } from "node:test";
import { RateLimit } from "../src/server/rateLimit.js";

test("refuses what is above the limit", () => {
  const limit = new RateLimit(2, 1000);
  limit.count("10.0.0.1", 0);
  limit.count("10.0.0.1", 1);
  assert.throws(() => limit.count("10.0.0.1", 2), /too many/);
});
