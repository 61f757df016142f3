import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

// Folder by folder, because each folder has its own workers. Those with the longest files come first: at the end, one
// worker would run such a file while the others have nothing to do.
const folders = ["cli", "repository", "dashboard", "operating", "hardening", "newest", "api", "function"];

/** The order of the files that run beside each other. */
export class FolderByFolder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => folders.indexOf(project.name);
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
