import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';

/**
 * Whether a UTF-16 code unit is a blank of the rule language: U+0009 to U+000D, U+0020, U+00A0, U+2007 to U+200B, U+202F,
 * U+3000 and U+FEFF. A closed list: what a language calls white space differs from the next.
 */
export function isBlank(code: number): boolean {
  return (
    (code >= 0x09 && code <= 0x0d) ||
    code === 0x20 ||
    code === 0xa0 ||
    (code >= 0x2007 && code <= 0x200b) ||
    code === 0x202f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** Steps of one character that may be dropped. */
const BLANK_STEPS = 4;
/** Characters of one piece. */
const PIECE = 8192;

/** `text` without any blank. Each piece of it is charged to `work`. */
export function dropBlanks(text: string, work: WorkBudget = NO_LIMIT): string {
  const codes = new Uint16Array(Math.min(text.length, PIECE));
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += PIECE) {
    work.charge(BLANK_STEPS * PIECE);
    const end = Math.min(start + PIECE, text.length);
    let count = 0;
    for (let at = start; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (isBlank(code)) continue;
      codes[count] = code;
      count += 1;
    }
    pieces.push(String.fromCharCode(...codes.subarray(0, count)));
  }
  return pieces.join('');
}

/** `text` without the blanks around it. */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
