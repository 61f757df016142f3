import { clearTimeout, setTimeout } from "./timing.ts";

/** How many answers may be open, in all and of one company, and for how many milliseconds one counts at maxOpen. */
const maxOpen = { inAll: 64, ofOneCompany: 16, milliseconds: 120_000 };

/**
 * Counts the answers that are being sent: one that its caller does not read takes memory until the caller is gone.
 * `onClose` is called when one of them has ended, or has been open for so long that it counts no more.
 */
export class OpenAnswers {
  #inAll = 0;
  readonly #companies = new Map<string, number>();
  readonly #onClose: () => void;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  /** Whether a company may open an answer more beside those for which `running` calls of it are under way. */
  hasRoom(company: string, running: number): boolean {
    return this.#inAll < maxOpen.inAll && (this.#companies.get(company) ?? 0) + running < maxOpen.ofOneCompany;
  }

  /** Counts an answer until `ended` is settled. */
  open(company: string, ended: Promise<unknown>): void {
    this.#count(company, 1);
    const { promise: closed, resolve: close } = Promise.withResolvers<unknown>();
    const timer = setTimeout(close, maxOpen.milliseconds);
    ended.then(close, close);
    closed.then(() => {
      clearTimeout(timer);
      this.#count(company, -1);
      this.#onClose();
    });
  }

  #count(company: string, change: 1 | -1): void {
    this.#inAll += change;
    const open = (this.#companies.get(company) ?? 0) + change;
    if (open > 0) this.#companies.set(company, open);
    else this.#companies.delete(company);
  }
}
