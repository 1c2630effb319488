import { readFile, writeFile } from "node:fs/promises";
import { HttpError } from "../server/httpError.js";
import type { Board, Card } from "../shared/types.js";

interface Data {
  boards: Board[];
  cards: Card[];
}

/** Boards and cards in memory, kept in one JSON file. */
export class FileStore {
  private constructor(
    private readonly path: string,
    private readonly data: Data,
  ) {}

  static async open(path: string): Promise<FileStore> {
    try {
      return new FileStore(path, JSON.parse(await readFile(path, "utf8")));
    } catch {
      return new FileStore(path, { boards: [], cards: [] });
    }
  }

  board(id: string): Board {
    const board = this.data.boards.find((each) => each.id === id);
    if (!board) {
      throw new HttpError(404, `no board ${id}`);
    }
    return board;
  }

  card(id: string): Card {
    const card = this.data.cards.find((each) => each.id === id);
    if (!card) {
      throw new HttpError(404, `no card ${id}`);
    }
    return card;
  }

  cards(): Card[] {
    return this.data.cards;
  }

  cardsOf(board: string): Card[] {
    return this.data.cards.filter((card) => card.board === board);
  }

  put(card: Card): void {
    const at = this.data.cards.findIndex((each) => each.id === card.id);
    if (at < 0) {
      this.data.cards.push(card);
    } else {
      this.data.cards[at] = card;
    }
    void this.save();
  }

  async save(): Promise<void> {
    await writeFile(this.path, JSON.stringify(this.data));
  }
}
