/**
 * Changes every line ending of a CSV to a line feed. A file may mix line endings, but the parser accepts only one kind,
 * and would leave a carriage return in the last cell of the other lines. Text in quotes is not changed.
 */
export async function* withEvenLines(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let isQuoted = false;
  /** Whether a quote at this position would begin a cell. */
  let isStart = true;
  let held = "";
  const even = (text: string): string =>
    text.replace(/"|\r\n?|[^"\r]+/g, (token) => {
      // A doubled quote ends the quoted text and begins it again.
      if (isQuoted) [isQuoted, isStart] = [token !== '"', true];
      else [isQuoted, isStart] = [token === '"' && isStart, /[,;\t\r\n]$/.test(token)];
      return token.startsWith("\r") && !isQuoted ? "\n" : token;
    });
  for await (const part of parts) {
    const text = held + part;
    // The second character of a line ending may be in the next part.
    held = text.endsWith("\r") ? "\r" : "";
    yield even(text.slice(0, text.length - held.length));
  }
  yield even(held);
}
