/**
 * What a terminal or a page would act on instead of showing it: controls, format characters and unpaired surrogates.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * `text` with every character spelt out that does more than show itself. What a log contains must not move the cursor,
 * change the direction of writing or begin a line of its own in a verdict.
 */
export function printable(text: string): string {
  return text.replaceAll(HIDDEN, (each) => `\\u{${(each.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The first `length` characters of `text` and three dots, or all of it, made printable. */
export function excerpt(text: string, length: number): string {
  const shown = printable(text.slice(0, length + 1));
  return shown.length > length ? `${shown.slice(0, length - 3)}...` : shown;
}
