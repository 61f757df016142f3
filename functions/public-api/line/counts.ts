import type { Share } from "../limits.ts";

/** How much there is of something, in all and of each company. Companies that have none are not kept. */
export class Counts {
  inAll = 0;
  readonly #companies = new Map<string, number>();

  of(company: string): number {
    return this.#companies.get(company) ?? 0;
  }

  add(company: string, change: number): void {
    this.inAll += change;
    const count = this.of(company) + change;
    if (count > 0) this.#companies.set(company, count);
    else this.#companies.delete(company);
  }

  /**
   * Who has to give something up after a company got more: that company, or when there is too much in all the one that
   * has most, so no company takes the room of the others. Of several that have most it is the one that is here for longest.
   */
  tooMuch({ inAll, ofOneCompany }: Share, company: string): string | undefined {
    if (this.of(company) > ofOneCompany) return company;
    if (this.inAll <= inAll) return undefined;
    let [largest, most] = ["", 0];
    for (const [name, count] of this.#companies) if (count > most) [largest, most] = [name, count];
    return largest;
  }
}
