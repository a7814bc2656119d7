import { Fault } from '@assay/core/fault';
import { isSourceNumber, type SourceJson, type SourceRecord } from '@assay/core/source/source-json';
import { isRecord } from '../vendor/vendor-answer.ts';

/** The most rows of one answer: more than any venue has products. */
const MAX_ROWS = 50_000;

/** A fault that quotes nothing of the answer. */
function wrong(at: string, expected: string): Fault {
  return new Fault('malformed', 'product list', { at, expected });
}

/** The record that an answer, or a member of one, is. Throws `malformed`. */
export function recordOf(value: SourceJson | undefined, at: string): SourceRecord {
  if (!isRecord(value)) throw wrong(at, 'an object');
  return value;
}

/** A list that contains only records. Throws `malformed`. */
export function rowsOf(value: SourceJson | undefined, at: string): readonly SourceRecord[] {
  if (!Array.isArray(value) || value.length > MAX_ROWS) {
    throw wrong(at, `an array of at most ${MAX_ROWS} objects`);
  }
  return (value as readonly SourceJson[]).map((row) => recordOf(row, at));
}

/** The same for a list that is never empty. Throws `malformed`. */
export function someRows(value: SourceJson | undefined, at: string): readonly SourceRecord[] {
  const rows = rowsOf(value, at);
  if (rows.length === 0) throw wrong(at, 'a product');
  return rows;
}

/** A text of a row. Throws `malformed`. */
export function textOf(row: SourceRecord, member: string): string {
  const value = row.get(member);
  if (typeof value !== 'string') throw wrong(member, 'a text');
  return value;
}

/** A text that a row may lack. Throws `malformed` for anything else. */
export function optionalText(row: SourceRecord, member: string): string | undefined {
  return row.has(member) ? textOf(row, member) : undefined;
}

/** A boolean of a row. Throws `malformed`. */
export function flagOf(row: SourceRecord, member: string): boolean {
  const value = row.get(member);
  if (typeof value !== 'boolean') throw wrong(member, 'true or false');
  return value;
}

/** A flag that a row may lack, which is false then. Throws `malformed` for anything else. */
export function optionalFlag(row: SourceRecord, member: string): boolean {
  return row.has(member) && flagOf(row, member);
}

/** A whole number of at most 15 digits, JSON's own. Throws `malformed`. */
export function countOf(value: SourceJson | undefined, at: string): number {
  const text =
    value !== undefined && value !== null && isSourceNumber(value) ? value.number : undefined;
  if (text === undefined || !/^(?:0|[1-9][0-9]{0,14})$/.test(text)) {
    throw wrong(at, 'a whole number');
  }
  return Number(text);
}

/** Throws `malformed` if two of the ids are the same, because two readers would take different rows. */
export function requireOnce(ids: Iterable<string | number>): void {
  const seen = new Set<string | number>();
  for (const id of ids) {
    if (seen.has(id)) throw wrong('list', 'each product once');
    seen.add(id);
  }
}
