/**
 * CSV with a line feed at the end of every line, also when the file mixes line endings: the parser accepts only one of them, and would
 * leave a carriage return in the last cell of the other lines. Text in quotes is not changed.
 */
export async function* withEvenLines(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let isQuoted = false;
  /** Whether a quote would begin a cell here. */
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
