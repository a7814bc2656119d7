/** Digits that any seq fits in, so that keys sort as numbers do. */
const DIGITS = 16;

/** A number as the key of a row, in the order of the numbers. */
export function seqKey(seq: number): string {
  return String(seq).padStart(DIGITS, '0');
}
