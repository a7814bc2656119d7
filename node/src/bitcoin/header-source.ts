/**
 * Where headers come from. Nothing it says is believed: whoever asks checks links, work and bits.
 * Both methods throw a Fault: `unreachable` and `timeout` where there is no answer, `refused` for one
 * that says no, `malformed` (or `too_large`, `redirect_refused`) for one that is none.
 */
export interface HeaderSource {
  /** For messages; holds no address and no secret. */
  readonly name: string;
  /**
   * Set where somebody else runs it: a height is its word then, and one such source alone is not enough.
   * Without it the source is one's own, a node or a file.
   */
  readonly explorer?: true;
  /** Height of the newest header. */
  tip(): Promise<number>;
  /**
   * `count` headers of 80 bytes from height `from` on, fewer where the chain ends before, none where
   * it has not come to `from`. `count` is 1 to `MAX_HEADERS`.
   */
  headers(from: number, count: number): Promise<readonly Uint8Array[]>;
}

/** What one call of `headers` may ask for: an epoch. */
export const MAX_HEADERS = 2016;

/** No chain is as high, and a height has room in 31 bits. */
export const MAX_HEIGHT = 2_147_483_647;

/** Throws TypeError for what `headers` may not be asked. */
export function requireRange(from: number, count: number): void {
  const fits =
    Number.isInteger(from) &&
    from >= 0 &&
    from <= MAX_HEIGHT &&
    Number.isInteger(count) &&
    count >= 1 &&
    count <= MAX_HEADERS;
  if (!fits) throw new TypeError(`headers: ${count} from height ${from}`);
}
