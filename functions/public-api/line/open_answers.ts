import { clearTimeout, setTimeout } from "../timing.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** The bytes of answers that may be open, in all, of one company, and of each company whatever the others have open. */
const maxOpen = { inAll: 64 * mebibyte, ofOneCompany: 16 * mebibyte, ofEach: 2 * mebibyte };

/** What an answer counts at least and at most. The system takes as much as the least of each, and is done with it. */
const counted = { least: 64 * kibibyte, most: mebibyte };

/**
 * The milliseconds for which an answer counts at most, and how long one that the runtime is done with: a part of it stays
 * in buffers until its caller reads, which only the next request over its connection proves.
 */
const lasts = { longest: 120_000, buffered: 1000 };

/**
 * Counts the answers that are being sent: one that its caller does not read takes memory until the caller is gone.
 * `onClose` is called when one of them has ended, or has been open for so long that it counts no more.
 */
export class OpenAnswers {
  #inAll = 0;
  readonly #companies = new Map<string, number>();
  /** What ends the answer that is in the buffers of a connection. */
  readonly #buffered = new Map<string, () => void>();
  readonly #onClose: () => void;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  /** Whether a company may open an answer more beside those for which `running` calls of it are under way. */
  hasRoom(company: string, running: number): boolean {
    const own = (this.#companies.get(company) ?? 0) + running * counted.most;
    return own < maxOpen.ofOneCompany && (this.#inAll < maxOpen.inAll || own < maxOpen.ofEach);
  }

  /** Counts an answer of so many bytes until `ended` is settled, and while it may be in the buffers of its connection. */
  open(company: string, bytes: number, ended: Promise<unknown>, connection: string): void {
    const size = Math.min(Math.max(bytes, counted.least), counted.most);
    this.#count(company, size);
    const { promise: closed, resolve: close } = Promise.withResolvers<unknown>();
    let timer = setTimeout(close, lasts.longest);
    const leave = () => {
      if (size === counted.least) return close(undefined);
      clearTimeout(timer);
      timer = setTimeout(close, lasts.buffered);
      if (connection !== "") this.#buffered.set(connection, () => close(undefined));
    };
    ended.then(leave, leave);
    closed.then(() => {
      clearTimeout(timer);
      this.#buffered.delete(connection);
      this.#count(company, -size);
      this.#onClose();
    });
  }

  /** A request has come over this connection: its caller has read the answer before. */
  arrived(connection: string): void {
    this.#buffered.get(connection)?.();
  }

  #count(company: string, change: number): void {
    this.#inAll += change;
    const open = (this.#companies.get(company) ?? 0) + change;
    if (open > 0) this.#companies.set(company, open);
    else this.#companies.delete(company);
  }
}
