import { bytesOf, milliseconds, shares } from "../limits.ts";
import { clearTimeout, setTimeout } from "../timing.ts";
import { Counts } from "./counts.ts";

/** Counts the answers that are being sent: one that its caller does not read takes memory until the caller is gone. */
export class OpenAnswers {
  readonly #bytes = new Counts();
  /** What ends the answer that is in the buffers of a connection. */
  readonly #buffered = new Map<string, () => void>();

  /** Whether a company may open an answer more beside those for which `running` calls of it are under way. */
  hasRoom(company: string, running: number): boolean {
    const own = this.#bytes.of(company) + running * bytesOf.answer.most;
    const isRoomLeft = this.#bytes.inAll < shares.answers.inAll || own < shares.answers.ofEach;
    return own < shares.answers.ofOneCompany && isRoomLeft;
  }

  /** Counts an answer until `ended` is settled and its connection has sent it, or for so long, and waits until then. */
  async open(company: string, bytes: number, ended: Promise<unknown>, connection: string): Promise<void> {
    const size = Math.min(Math.max(bytes, bytesOf.answer.least), bytesOf.answer.most);
    this.#bytes.add(company, size);
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    let timer = setTimeout(close, milliseconds.open);
    const leave = () => {
      if (size === bytesOf.answer.least) return close();
      clearTimeout(timer);
      timer = setTimeout(close, milliseconds.buffered);
      if (connection !== "") this.#buffered.set(connection, close);
    };
    ended.then(leave, leave);
    await closed;
    clearTimeout(timer);
    this.#buffered.delete(connection);
    this.#bytes.add(company, -size);
  }

  /** A request has come over this connection: its caller has read the answer before. */
  arrived(connection: string): void {
    this.#buffered.get(connection)?.();
  }
}
