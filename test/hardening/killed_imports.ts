// Imports that are interrupted by a kill: each one is written as a whole or not at all, an acknowledged one is never
// lost, and sending it again is safe.
import { randomInt, randomUUID } from "node:crypto";
import { expect } from "vitest";
import { tried } from "../support/counts.ts";

/** The number of rewards in a batch. */
const rows = 200;
const batch = (id: string) =>
  Array.from({ length: rows }, (_, index) => ({ external_id: `${id}-${index}`, name: id, points_cost: index }));

interface Sent {
  id: string;
  acknowledged: boolean;
}

export class KilledImports {
  #tally = { acknowledged: 0, whole: 0, absent: 0 };

  /**
   * Lets four writers import until the kill, which comes after a few batches.
   * @param send imports rewards; returns the status, or null without an answer
   */
  async until(kill: () => Promise<void>, send: (rewards: object[]) => Promise<number | null>): Promise<Sent[]> {
    const all: Sent[] = [];
    let alive = true;
    const writer = async (): Promise<void> => {
      while (alive) {
        const sent = { id: randomUUID(), acknowledged: false };
        all.push(sent);
        sent.acknowledged = (await send(batch(sent.id))) === 200;
      }
    };
    const writing = Promise.all([writer(), writer(), writer(), writer()]);
    const killAt = randomInt(4, 20);
    await expect.poll(() => all.length, { interval: 1 }).toBeGreaterThan(killAt);
    await kill();
    alive = false;
    await writing;
    return all;
  }

  /**
   * Checks that each batch is stored as a whole or not at all, and sends again what was not acknowledged.
   * @param stored returns how many rewards have this name
   */
  async expectWhole(
    all: Sent[],
    stored: (name: string) => Promise<number>,
    again: (rewards: object[]) => Promise<void>,
  ): Promise<void> {
    for (const { id, acknowledged } of all) {
      const found = await stored(id);
      expect(acknowledged ? [rows] : [0, rows]).toContain(found);
      this.#tally[acknowledged ? "acknowledged" : found === 0 ? "absent" : "whole"]++;
      if (acknowledged) continue;
      await again(batch(id));
      expect(await stored(id)).toBe(rows);
    }
  }

  /** Checks that kills have interrupted imports, and prints how many. */
  expectHit(what: string): void {
    const { acknowledged, whole, absent } = this.#tally;
    expect(acknowledged).toBeGreaterThan(0);
    expect(whole + absent).toBeGreaterThan(0);
    tried(`${what}: ${acknowledged} acknowledged and there, ${whole} not acknowledged and whole, ${absent} absent`);
  }
}
