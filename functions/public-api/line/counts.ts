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

  /** The company that has most. */
  largest(): string {
    let [largest, most] = ["", 0];
    for (const [company, count] of this.#companies) if (count > most) [largest, most] = [company, count];
    return largest;
  }
}
