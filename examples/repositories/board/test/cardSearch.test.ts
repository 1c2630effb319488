import assert from "node:assert/strict";
import { test } from "node:test";
import { search } from "../src/store/cardSearch.js";
import type { Card } from "../src/shared/types.js";

const CARDS: Card[] = ["Paint the fence", "Buy paint"].map((title, position) => ({
  id: String(position), board: "b", column: "todo", position, title, text: "", labels: [], comments: [], version: 1,
}));

test("all words must be in a card", () => {
  assert.deepEqual(search(CARDS, "paint fence", 1).map((card) => card.title), ["Paint the fence"]);
});

test("pages begin with one", () => {
  assert.equal(search(CARDS, "paint", 2).length, 0);
});
