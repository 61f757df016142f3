/**
 * CSV with every line ended by a line feed, whatever the file has and mixes: told only one of them, the parser leaves a carriage return in
 * the last cell of the other lines. What stands between quotes stays as it is.
 */
export async function* withEvenLines(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let isQuoted = false;
  /** Whether a quote would begin a cell here. */
  let isStart = true;
  let held = "";
  const even = (text: string): string =>
    text.replace(/"|\r\n?|[^"\r]+/g, (token) => {
      // Doubled, a quote ends the quotes and begins them anew.
      if (isQuoted) [isQuoted, isStart] = [token !== '"', true];
      else [isQuoted, isStart] = [token === '"' && isStart, /[,;\t\r\n]$/.test(token)];
      return token.startsWith("\r") && !isQuoted ? "\n" : token;
    });
  for await (const part of parts) {
    const text = held + part;
    // The other half of a line's end may come with the next part.
    held = text.endsWith("\r") ? "\r" : "";
    yield even(text.slice(0, text.length - held.length));
  }
  yield even(held);
}
