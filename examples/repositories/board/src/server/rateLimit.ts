import { HttpError } from "./httpError.js";

/** At most so many requests of one address in a window of time. */
export class RateLimit {
  private readonly counts = new Map<string, { count: number; since: number }>();

  constructor(
    private readonly most: number,
    private readonly window: number,
  ) {}

  count(address: string, now = Date.now()): void {
    const entry = this.counts.get(address) ?? { count: 0, since: now };
    if (now - entry.since > this.window) {
      entry.count = 0;
    }
    entry.count++;
    this.counts.set(address, entry);
    if (entry.count > this.most) {
      throw new HttpError(429, "too many requests");
    }
  }
}
