import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/**
 * Folder by folder, because a worker is started anew for the next one: first those with the longest files, which would
 * otherwise be the last that a single worker still runs.
 */
const folders = ["cli", "dashboard", "database", "hardening", "newest", "api", "function"];

/** The order of the files that run beside each other. */
export class FolderByFolder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => folders.indexOf(project.name);
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
