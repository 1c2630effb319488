import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FileStore } from "../store/fileStore.js";
import { toCsv } from "../store/csvExport.js";
import { search } from "../store/cardSearch.js";
import type { Accounts } from "./accounts.js";
import { addCard, addComment, changeCard, moveCard } from "./cardRoutes.js";
import { HttpError } from "./httpError.js";
import type { LiveUpdates } from "./liveUpdates.js";
import { mayRead } from "./permissions.js";
import type { RateLimit } from "./rateLimit.js";

/** Finds what a request asks for and answers it. */
export function router(store: FileStore, accounts: Accounts, live: LiveUpdates, limit: RateLimit): RequestListener {
  return async (request, response) => {
    try {
      limit.count(request.socket.remoteAddress ?? "");
      const user = accounts.userOf(request.headers.authorization);
      await answer(request, response, store, user, live);
    } catch (error) {
      const status = error instanceof HttpError ? error.status : 500;
      send(response, status, { error: String(error) });
    }
  };
}

async function answer(
  request: IncomingMessage, response: ServerResponse, store: FileStore, user: string, live: LiveUpdates,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, , kind, id, verb] = url.pathname.split("/");
  if (kind === "search") {
    const page = Number(url.searchParams.get("page") ?? 1);
    return send(response, 200, search(store.cards(), url.searchParams.get("q") ?? "", page));
  }
  if (kind === "boards") {
    const board = store.board(id);
    mayRead(board, user);
    if (verb === "events") {
      return live.follow(board.id, response);
    }
    if (verb === "export.csv") {
      response.setHeader("Content-Type", "text/csv");
      response.end(toCsv(store.cardsOf(board.id)));
      return;
    }
    if (verb === "cards") {
      return send(response, 201, addCard(store, live, user, board, await body(request)));
    }
    return send(response, 200, { ...board, cards: store.cardsOf(board.id) });
  }
  if (kind === "cards") {
    const actions = { move: moveCard, comments: addComment };
    const action = actions[verb as keyof typeof actions] ?? changeCard;
    return send(response, 200, action(store, live, user, id, await body(request)));
  }
  throw new HttpError(404, "no such page");
}

async function body(request: IncomingMessage): Promise<any> {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
  }
  return JSON.parse(text);
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}
