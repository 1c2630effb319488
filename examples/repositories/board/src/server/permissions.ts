import type { Board, Role } from "../shared/types.js";
import { HttpError } from "./httpError.js";

const RANK: Record<Role, number> = { viewer: 0, editor: 1, owner: 2 };

function atLeast(board: Board, user: string, role: Role): void {
  const has = board.members[user];
  if (!has || RANK[has] < RANK[role]) {
    throw new HttpError(403, `${user} is not ${role} of ${board.name}`);
  }
}

export function mayRead(board: Board, user: string): void {
  atLeast(board, user, "viewer");
}

/** Viewers may comment but not change cards. */
export function mayEdit(board: Board, user: string): void {
  atLeast(board, user, "editor");
}

export function mayInvite(board: Board, user: string): void {
  atLeast(board, user, "owner");
}
