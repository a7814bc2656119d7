/**
 * A source of headers. Nothing that it answers is trusted: the caller checks links, work and bits. Both methods
 * throw a Fault: `unreachable` and `timeout` if there is no answer, `refused` for a refusal, and `malformed`,
 * `too_large` or `redirect_refused` for an invalid answer.
 */
export interface HeaderSource {
  /** The name for messages, which contains no address and no secret. */
  readonly name: string;
  /**
   * Set if somebody else runs it. Then a height is only a claim, and one such source alone is not enough.
   * Otherwise the source is the operator's own node or file.
   */
  readonly explorer?: true;
  /** The height of the newest header. */
  tip(): Promise<number>;
  /**
   * `count` headers of 80 bytes from height `from` on; fewer if the chain ends before, and none if it does not
   * reach `from`. `count` is 1 to `MAX_HEADERS`.
   */
  headers(from: number, count: number): Promise<readonly Uint8Array[]>;
}

/** The most headers of one call of `headers`: an epoch. */
export const MAX_HEADERS = 2016;

/** No chain is that high, and a height fits into 31 bits. */
export const MAX_HEIGHT = 2_147_483_647;

/** Throws a TypeError for a range that `headers` does not accept. */
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
