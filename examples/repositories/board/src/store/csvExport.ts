import type { Card } from "../shared/types.js";

const COLUMNS = ["id", "column", "title", "labels", "due", "assignee"] as const;

/** All cards of a board as a table for spreadsheets. */
export function toCsv(cards: Card[]): string {
  const rows = cards.map((card) => COLUMNS.map((name) => cell(card[name])).join(","));
  return [COLUMNS.join(","), ...rows].join("\n");
}

function cell(value: string | string[] | undefined): string {
  const text = Array.isArray(value) ? value.join(" ") : (value ?? "");
  return text.includes(",") ? `"${text}"` : text;
}
