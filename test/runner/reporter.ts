// What a run prints at the end: what was tried, whether the specification holds, and the line `N passed, N failed`.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, SerializedError, TestModule, TestSpecification, Vitest } from "vitest/node";
import { ownersOnly } from "./given_stack.ts";
import { specification } from "./specification.ts";

/** The maximum length of the output of a failing test: nobody can use a difference of 1,000 rows. */
const longest = 4000;

const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}\n… and ${text.length - longest} more characters`;

export class ClosingLine implements Reporter {
  #vitest: Vitest | undefined;
  #isWhole = false;
  #ended = false;
  #passed = 0;
  #failed = 0;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    // The last line of every run, also when the stack does not start or vitest itself fails.
    if (!vitest.config.watch) process.once("exit", () => this.#close());
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    const { testNamePattern, project } = this.#vitest?.config ?? {};
    const all = await this.#vitest?.globTestSpecifications();
    const isOwn = !process.env.GIVEN_STACK;
    this.#isWhole = isOwn && specifications.length === all?.length && !testNamePattern && !project?.length;
  }

  onTestModuleEnd({ children }: TestModule): void {
    for (const test of children.allTests()) {
      for (const error of test.result().errors ?? []) {
        for (const part of ["message", "stack", "diff"] as const) if (error[part]) error[part] = cut(error[part]);
      }
    }
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const ran = new Map<string, boolean>();
    [this.#passed, this.#failed] = [0, 0];
    for (const module of modules) this.#countModule(module, ran);
    for (const _ of errors) this.#count(false);
    printTried();
    const isGiven = Boolean(process.env.GIVEN_STACK);
    for (const [file, reason] of isGiven ? ownersOnly() : []) console.log(`Not run: ${file}: ${reason}`);
    if (!this.#isWhole) console.log("Only some tests ran, and the specification was not checked");
    printDataApi();
    for (const problem of this.#isWhole ? specification(ran) : []) {
      if (problem) console.log(problem);
      this.#count(problem === "");
    }
    if (this.#failed > 0) process.exitCode = 1;
    this.#ended = true;
  }

  #count(passed: boolean): void {
    if (passed) this.#passed++;
    else this.#failed++;
  }

  /** Counts the tests of a file. In `ran` it notes whether each test that was not skipped has passed. */
  #countModule(module: TestModule, ran: Map<string, boolean>): void {
    const before = this.#failed;
    for (const test of module.children.allTests()) {
      const reference = `${module.relativeModuleId} › ${test.fullName.replaceAll(" > ", " › ")}`;
      const result = test.result();
      if (result.state === "skipped") {
        // With -t, vitest marks tests that do not match as skipped. These do not count.
        // A test whose optional tool is not on this machine skips itself, and says which one `is missing`.
        const isMeant = !this.#vitest?.config.testNamePattern;
        if (result.note?.endsWith(" is missing")) console.log(`Not run: ${reference}: ${result.note}`);
        else if (isMeant) this.#count(false);
        continue;
      }
      const passed = result.state === "passed";
      this.#count(passed);
      ran.set(reference, passed && (ran.get(reference) ?? true));
    }
    // The file could not be loaded, or its afterAll failed.
    if (!module.ok() && this.#failed === before) this.#count(false);
  }

  #close(): void {
    const nothing = this.#passed + this.#failed === 0;
    if (!this.#ended || nothing || (process.exitCode && this.#failed === 0)) this.#failed++;
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    if (this.#failed > 0) process.exitCode ||= 1;
  }
}

/** Prints which Data API the stack of the run had, if it had one. */
function printDataApi(): void {
  const file = process.env.STACK_FILE;
  if (file && existsSync(file)) console.log(`The Data API: ${JSON.parse(readFileSync(file, "utf8")).data_api}`);
}

/** Prints what random tests have tried (test/support/counts.ts). */
function printTried(): void {
  const file = `${dirname(process.env.STACK_FILE ?? "")}/tried.txt`;
  if (!existsSync(file)) return;
  console.log(readFileSync(file, "utf8").trimEnd());
  rmSync(file);
}
