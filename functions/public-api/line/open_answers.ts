import { bytesOf, milliseconds, shares } from "../limits.ts";
import { clearTimeout, setTimeout } from "../timing.ts";
import { Counts } from "./counts.ts";

/** Counts the answers that are being sent: one that its caller does not read takes memory until the caller is gone. */
export class OpenAnswers {
  readonly #bytes = new Counts();

  /** Whether a company may open an answer more beside those for which `running` calls of it are under way. */
  hasRoom(company: string, running: number): boolean {
    const own = this.#bytes.of(company) + running * bytesOf.answer;
    const isRoomLeft = this.#bytes.inAll < shares.answers.inAll || own < shares.answers.ofEach;
    return own < shares.answers.ofOneCompany && isRoomLeft;
  }

  /** Counts an answer until `ended` is settled, or for so long, and waits until then. */
  async open(company: string, bytes: number, ended: Promise<unknown>): Promise<void> {
    const size = Math.min(bytes, bytesOf.answer);
    this.#bytes.add(company, size);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds.open);
    await Promise.race([ended, late]);
    clearTimeout(timer);
    this.#bytes.add(company, -size);
  }
}
