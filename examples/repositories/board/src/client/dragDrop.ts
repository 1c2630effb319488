import type { Card } from "../shared/types.js";
import type { Api } from "./api.js";

/** Lets the mouse move cards between columns. */
export function enableDragging(root: HTMLElement, api: Api, cards: Map<string, Card>): void {
  let dragged: Card | undefined;
  root.addEventListener("dragstart", (event) => {
    const element = (event.target as HTMLElement).closest("article");
    dragged = cards.get(element?.dataset.card ?? "");
  });
  root.addEventListener("dragover", (event) => event.preventDefault());
  root.addEventListener("drop", (event) => {
    const column = (event.target as HTMLElement).closest("section");
    if (dragged && column) {
      const position = [...column.querySelectorAll("article")].length;
      void api.move(dragged, column.dataset.column ?? "", position);
    }
  });
}
