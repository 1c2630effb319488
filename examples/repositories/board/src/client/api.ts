import type { Board, Card, CardChange } from "../shared/types.js";

/** Calls of the HTTP API from the page. */
export class Api {
  constructor(private readonly token: string) {}

  board(id: string): Promise<Board & { cards: Card[] }> {
    return this.call("GET", `/api/boards/${id}`);
  }

  change(card: Card, change: Omit<CardChange, "version">): Promise<Card> {
    return this.call("PATCH", `/api/cards/${card.id}`, { ...change, version: card.version });
  }

  move(card: Card, column: string, position: number): Promise<Card> {
    return this.call("POST", `/api/cards/${card.id}/move`, { column, position });
  }

  search(words: string, page = 1): Promise<Card[]> {
    return this.call("GET", `/api/search?q=${words}&page=${page}`);
  }

  private async call<T>(method: string, path: string, value?: unknown): Promise<T> {
    const response = await fetch(path, {
      method,
      headers: { Authorization: `Bearer ${this.token}` },
      body: value === undefined ? undefined : JSON.stringify(value),
    });
    return (await response.json()) as T;
  }
}
