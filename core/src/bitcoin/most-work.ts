/** Something that took work: a chain of headers, or a run of them. */
export interface Worked {
  /** In hashes, from the same block on as what it is compared with. */
  readonly work: bigint;
}

/**
 * The one that took more work, however many headers it has; `a` where both took the same, as a node
 * keeps the chain that it saw first.
 */
export function mostWork<T extends Worked>(a: T, b: T): T {
  return b.work > a.work ? b : a;
}
