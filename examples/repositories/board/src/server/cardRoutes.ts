import { randomUUID } from "node:crypto";
import type { FileStore } from "../store/fileStore.js";
import { place } from "../store/ordering.js";
import type { Board, Card, CardChange } from "../shared/types.js";
import { mistake } from "../shared/validate.js";
import { HttpError } from "./httpError.js";
import type { LiveUpdates } from "./liveUpdates.js";
import { mayEdit } from "./permissions.js";

export function addCard(store: FileStore, live: LiveUpdates, user: string, board: Board, wanted: Partial<Card>): Card {
  mayEdit(board, user);
  const wrong = mistake(wanted as Partial<CardChange>);
  if (wrong) {
    throw new HttpError(400, wrong);
  }
  const card: Card = {
    id: randomUUID(),
    board: board.id,
    column: wanted.column ?? board.columns[0],
    position: store.cardsOf(board.id).length,
    title: wanted.title ?? "",
    text: wanted.text ?? "",
    labels: wanted.labels ?? [],
    comments: [],
    version: 1,
  };
  store.put(card);
  live.publish({ kind: "added", card });
  return card;
}

export function changeCard(store: FileStore, live: LiveUpdates, user: string, id: string, change: CardChange): Card {
  const card = store.card(id);
  mayEdit(store.board(card.board), user);
  const wrong = mistake(change);
  if (wrong) {
    throw new HttpError(400, wrong);
  }
  if (change.version < card.version) {
    throw new HttpError(409, "another user changed this card");
  }
  const next = { ...card, ...change, version: card.version + 1 };
  store.put(next);
  live.publish({ kind: "changed", card: next });
  return next;
}

export function moveCard(
  store: FileStore, live: LiveUpdates, user: string, id: string, to: { column: string; position: number },
): Card {
  const card = store.card(id);
  mayEdit(store.board(card.board), user);
  const moved = { ...card, column: to.column };
  place(store.cardsOf(card.board), moved, to.position).forEach((each) => store.put(each));
  live.publish({ kind: "moved", card: moved });
  return moved;
}

export function addComment(store: FileStore, live: LiveUpdates, user: string, id: string, comment: { text: string }): Card {
  const card = store.card(id);
  mayEdit(store.board(card.board), user);
  card.comments.push({ author: user, text: comment.text, at: new Date().toISOString() });
  store.put(card);
  return card;
}
