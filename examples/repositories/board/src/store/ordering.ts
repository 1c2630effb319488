import type { Card } from "../shared/types.js";

/** Puts a card at a position of its column; answers all cards of the column with their new positions. */
export function place(cards: Card[], card: Card, position: number): Card[] {
  const column = cards
    .filter((each) => each.column === card.column)
    .sort((a, b) => a.position - b.position);
  column.splice(position, 0, card);
  return column.map((each, index) => ({ ...each, position: index }));
}
