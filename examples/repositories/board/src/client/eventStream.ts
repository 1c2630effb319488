import type { Card } from "../shared/types.js";

/** Follows a board and hands out its changes. */
export function followBoard(id: string, token: string, onCard: (card: Card) => void): () => void {
  const source = new EventSource(`/api/boards/${id}/events?token=${token}`);
  for (const kind of ["added", "changed"]) {
    source.addEventListener(kind, (event) => onCard(JSON.parse((event as MessageEvent).data)));
  }
  source.onerror = () => source.close();
  return () => source.close();
}
