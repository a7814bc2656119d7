import { trimBlanks } from '../bytes/blank.ts';
import { Fault } from '../fault.ts';
import { MAX_SOURCE_ROWS, MAX_SOURCE_VALUES } from '../limits.ts';
import type { WorkBudget } from '../work-budget.ts';

/** The field separators that a rule may name. */
export const DELIMITERS = [',', '\t', ';'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
/** Steps for one field, besides its characters. */
const STEPS = 32;
/** Characters of one field between two charges. */
const PIECE = 4096;

/**
 * The records of a CSV text (RFC 4180) with a header line: quoted fields, CRLF or LF, a last line
 * with or without its end. Unquoted fields lose the blanks of `blank.ts` around them (flat files pad
 * with them).
 *
 * Throws `malformed` for no header, an empty or repeated column name, a record of another width, or
 * a stray quote: a file that changed its shape must not be read as if it had not. Throws what `work` throws.
 */
export function parseCsv(
  text: string,
  delimiter: Delimiter,
  work: WorkBudget,
): readonly ReadonlyMap<string, string>[] {
  const lines = records(text, delimiter, work);
  const header = requireHeader(lines.next().value, work);
  const rows: ReadonlyMap<string, string>[] = [];
  let line = 1;
  for (const fields of lines) {
    line += 1;
    if (fields.length !== header.length) {
      throw bad(line, `${header.length} fields`, `${fields.length}`);
    }
    if (rows.length >= MAX_SOURCE_ROWS) {
      throw new Fault('too_large', 'CSV', { expected: `at most ${MAX_SOURCE_ROWS} records` });
    }
    const row = new Map<string, string>();
    for (let i = 0; i < header.length; i += 1) {
      work.charge(STEPS);
      row.set(header[i] as string, fields[i] as string);
    }
    work.charge(STEPS);
    rows.push(row);
  }
  return rows;
}

/** Only the names of the columns. Throws as `parseCsv` does for them. */
export function parseCsvHeader(
  text: string,
  delimiter: Delimiter,
  work: WorkBudget,
): readonly string[] {
  return requireHeader(records(text, delimiter, work).next().value, work);
}

function requireHeader(names: readonly string[] | undefined, work: WorkBudget): readonly string[] {
  if (names === undefined || names.some((name) => name === '')) {
    throw bad(1, 'a header of named columns');
  }
  const known = new Set<string>();
  for (const name of names) {
    work.charge(STEPS);
    if (known.has(name)) throw bad(1, 'each column name once');
    known.add(name);
  }
  return names;
}

function bad(line: number, expected: string, found?: string): Fault {
  const detail = { at: `record ${line}`, expected };
  return new Fault('malformed', 'CSV', found === undefined ? detail : { ...detail, found });
}

function* records(
  text: string,
  delimiter: string,
  work: WorkBudget,
): Generator<string[], undefined> {
  const separator = delimiter.charCodeAt(0);
  let at = 0;
  let line = 0;
  let count = 0;
  while (at < text.length) {
    line += 1;
    const fields: string[] = [];
    for (;;) {
      let field: string;
      const from = at;
      if (text.charCodeAt(at) === QUOTE) {
        [field, at] = quoted(text, at, line, work);
      } else {
        const start = at;
        for (;;) {
          const code = text.charCodeAt(at);
          // NaN is the end of the text.
          if (code === separator || code === LINE_FEED || Number.isNaN(code)) break;
          if (code === QUOTE) throw bad(line, 'quotes around a whole field');
          at += 1;
          if ((at - start) % PIECE === 0) work.charge(PIECE);
        }
        work.charge((at - start) % PIECE);
        field = trimBlanks(text.slice(start, at));
      }
      fields.push(field);
      count += 1;
      work.charge(STEPS + at - from);
      if (count > MAX_SOURCE_VALUES) {
        throw new Fault('too_large', 'CSV', { expected: `at most ${MAX_SOURCE_VALUES} fields` });
      }
      if (text.charCodeAt(at) !== separator) break;
      at += 1;
    }
    if (text.charCodeAt(at) === LINE_FEED) at += 1;
    else if (text.startsWith('\r\n', at)) at += 2;
    else if (at < text.length) throw bad(line, 'a separator or the end of the line');
    yield fields;
  }
  return undefined;
}

function quoted(text: string, start: number, line: number, work: WorkBudget): [string, number] {
  let field = '';
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw bad(line, 'a closing quote');
    work.charge(STEPS);
    field += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') return [field, at];
    field += '"';
    at += 1;
  }
}
