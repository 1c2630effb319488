import { createHmac } from "node:crypto";
import { HttpError } from "./httpError.js";

/** Tokens of users: "name.expiry.signature". */
export class Accounts {
  constructor(private readonly secret: string) {}

  issue(user: string, days: number, now = Date.now()): string {
    const expiry = now + days * 86_400;
    return `${user}.${expiry}.${this.sign(user, expiry)}`;
  }

  /** The user of an Authorization header. */
  userOf(header: string | undefined, now = Date.now()): string {
    const token = header?.replace("Bearer ", "");
    if (!token) {
      throw new HttpError(401, "no token");
    }
    const [user, expiry, signature] = token.split(".");
    if (signature !== this.sign(user, Number(expiry))) {
      throw new HttpError(401, "token is not valid");
    }
    if (Number(expiry) < now) {
      throw new HttpError(401, "token has expired");
    }
    return user;
  }

  private sign(user: string, expiry: number): string {
    return createHmac("sha256", this.secret).update(`${user}.${expiry}`).digest("hex");
  }
}
