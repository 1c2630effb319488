import type { CardChange } from "./types.js";

export const MAX_TITLE = 200;
export const MAX_LABELS = 10;

/** The first mistake in a change, or undefined. */
export function mistake(change: Partial<CardChange>): string | undefined {
  if (change.title !== undefined && change.title.trim() === "") {
    return "title must not be empty";
  }
  if (change.title !== undefined && change.title.length > MAX_TITLE) {
    return `title has more than ${MAX_TITLE} characters`;
  }
  if (change.labels !== undefined && change.labels.length >= MAX_LABELS) {
    return `more than ${MAX_LABELS} labels`;
  }
  if (change.due !== undefined && !/^\d{4}-\d\d-\d\d$/.test(change.due)) {
    return "due must be a day, 2026-03-14";
  }
  return undefined;
}
