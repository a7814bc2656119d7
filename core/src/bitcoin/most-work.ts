/** Something that took work: a chain of headers, or a run of them. */
export interface Worked {
  /** In hashes, from the same block on as what it is compared with. */
  readonly work: bigint;
  /** The height that the work is counted from, where it is known. */
  readonly first?: number;
}

/**
 * The one that took more work, however many headers it has; `a` where both took the same, as a node
 * keeps the chain that it saw first. TypeError where both say where they begin and do not agree:
 * `tableWork` is what lies between.
 */
export function mostWork<T extends Worked>(a: T, b: T): T {
  if (a.first !== undefined && b.first !== undefined && a.first !== b.first) {
    throw new TypeError('mostWork: the two begin at different heights');
  }
  return b.work > a.work ? b : a;
}
