import { isOverdue, relative } from "../shared/dates.js";
import type { Board, Card } from "../shared/types.js";

/** Draws a board: one list for each column, one element for each card. */
export function drawBoard(root: HTMLElement, board: Board, cards: Card[]): void {
  root.replaceChildren(
    ...board.columns.map((name) => {
      const list = document.createElement("section");
      list.dataset.column = name;
      list.append(heading(name, cards.length));
      const own = cards.filter((card) => card.column === name).sort((a, b) => a.position - b.position);
      list.append(...own.map(drawCard));
      return list;
    }),
  );
}

function heading(name: string, count: number): HTMLElement {
  const element = document.createElement("h2");
  element.textContent = `${name} (${count})`;
  return element;
}

function drawCard(card: Card): HTMLElement {
  const element = document.createElement("article");
  element.draggable = true;
  element.dataset.card = card.id;
  element.innerHTML = `<h3>${card.title}</h3>`;
  for (const label of card.labels) {
    const mark = document.createElement("span");
    mark.className = "label";
    mark.textContent = label;
    element.append(mark);
  }
  if (card.due) {
    const due = document.createElement("time");
    due.textContent = relative(card.due, new Date());
    due.classList.toggle("overdue", isOverdue(card.due, new Date()));
    element.append(due);
  }
  return element;
}
