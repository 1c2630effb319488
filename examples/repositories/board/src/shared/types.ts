/** What server and page exchange. */
export interface Card {
  id: string;
  board: string;
  column: string;
  position: number;
  title: string;
  text: string;
  labels: string[];
  due?: string;
  assignee?: string;
  comments: Comment[];
  version: number;
}

export interface Comment {
  author: string;
  text: string;
  at: string;
}

export interface Board {
  id: string;
  name: string;
  columns: string[];
  members: Record<string, Role>;
}

export type Role = "viewer" | "editor" | "owner";

export interface CardChange {
  title?: string;
  text?: string;
  labels?: string[];
  due?: string;
  assignee?: string;
  version: number;
}

export interface BoardEvent {
  kind: "added" | "changed" | "moved" | "removed";
  card: Card;
}
