// The recipes of docs/connect, read from their pages.
import { environment, runProgram } from "../../support/command_line.ts";
import { codeBlocks } from "../../support/pages.ts";

/** The code blocks of a page in one language, in order. */
export const blocks = (page: string, language: string): string[] =>
  codeBlocks(`docs/connect/${page}`).flatMap((block) => (block.language === language ? [block.text] : []));

/**
 * Runs a recipe in a folder, with the address and the key in its environment.
 * @param more further variables; they take precedence
 * @throws Error with the recipe's output when it fails
 */
export async function runRecipe(
  folder: string,
  key: string,
  command: string,
  args: string[],
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  const { code, stdout, stderr } = await runProgram(command, args, folder, { ...environment(key), ...more });
  if (code !== 0) throw new Error(`exit code ${code}: ${stdout}${stderr}`);
  return stdout;
}
