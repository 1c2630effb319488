import type { ServerResponse } from "node:http";
import type { BoardEvent } from "../shared/types.js";

/** Pages that follow a board by server-sent events. */
export class LiveUpdates {
  private readonly followers = new Map<string, Set<ServerResponse>>();

  follow(board: string, response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
    const set = this.followers.get(board) ?? new Set();
    set.add(response);
    this.followers.set(board, set);
  }

  publish(event: BoardEvent): void {
    for (const response of this.followers.get(event.card.board) ?? []) {
      response.write(`event: ${event.kind}\ndata: ${JSON.stringify(event.card)}\n\n`);
    }
  }
}
