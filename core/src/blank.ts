import { NO_LIMIT, type WorkBudget } from './work-budget.ts';

/**
 * The blanks that the rule language knows: U+0009 to U+000D, U+0020, U+00A0, U+2007 to U+200B,
 * U+202F, U+3000 and U+FEFF. A closed list: what a language calls white space differs from the next.
 */
const BLANKS = /[\u0009-\u000d\u0020\u00a0\u2007-\u200b\u202f\u3000\ufeff]/g; // oxlint-disable-line no-control-regex

/** Whether a UTF-16 code unit is a blank. */
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
const BLANK_STEPS = 16;
/** Characters of one piece. */
const PIECE = 65_536;

/** `text` without any blank. What is done to a piece of it is charged to `work`. */
export function dropBlanks(text: string, work: WorkBudget = NO_LIMIT): string {
  if (text.length <= PIECE) return text.replaceAll(BLANKS, '');
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += PIECE) {
    work.charge(BLANK_STEPS * PIECE);
    pieces.push(text.slice(at, at + PIECE).replaceAll(BLANKS, ''));
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
