import assert from "node:assert/strict";
import { test } from "node:test";
import { Accounts } from "../src/server/accounts.js";

test("a token names its user", () => {
  const accounts = new Accounts("secret");
  assert.equal(accounts.userOf(`Bearer ${accounts.issue("ada", 1)}`), "ada");
});

test("a wrong signature is refused", () => {
  assert.throws(() => new Accounts("secret").userOf("Bearer ada.9999999999999.abc"), /not valid/);
});
