import { createServer } from "node:http";
import { FileStore } from "../store/fileStore.js";
import { Accounts } from "./accounts.js";
import { LiveUpdates } from "./liveUpdates.js";
import { RateLimit } from "./rateLimit.js";
import { router } from "./router.js";

const port = Number(process.env.BOARD_PORT ?? 3000);
const store = await FileStore.open(process.env.BOARD_FILE ?? "board.json");
const accounts = new Accounts(process.env.BOARD_SECRET ?? "");
const live = new LiveUpdates();
const limit = new RateLimit(100, 60_000);

const server = createServer(router(store, accounts, live, limit));
server.listen(port, () => console.log(`board listens on ${port}`));

process.on("SIGTERM", () => {
  server.close();
  void store.save();
});
