import assert from "node:assert/strict";
import { test } from "node:test";
import type { Card } from "../src/shared/types.js";
import { place } from "../src/store/ordering.js";

function card(id: string, position: number): Card {
  return { id, board: "b", column: "todo", position, title: id, text: "", labels: [], comments: [], version: 1 };
}

test("a card goes between two others", () => {
  const placed = place([card("a", 0), card("b", 1)], card("c", 9), 1);
  assert.deepEqual(placed.map((each) => each.id), ["a", "c", "b"]);
});
