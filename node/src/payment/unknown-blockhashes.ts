/** How many milliseconds a node may take to learn a blockhash. Those of transfers live for about as long. */
const LEARNING_MS = 60_000;
/** How many blockhashes are remembered. Anyone can invent some. */
const MOST = 1000;

/** The blockhashes that the chain's node did not know when it was asked, and when that was first. */
export class UnknownBlockhashes {
  readonly #firstMs = new Map<string, number>();

  /** Notes that the node does not know one now. Whether it had the time to learn it, so that its life is over or it never was one. */
  note(blockhash: string, nowMs: number): boolean {
    const firstMs = this.#firstMs.get(blockhash);
    if (firstMs !== undefined) return nowMs - firstMs >= LEARNING_MS;
    const [oldest] = this.#firstMs.keys();
    if (this.#firstMs.size >= MOST && oldest !== undefined) this.#firstMs.delete(oldest);
    this.#firstMs.set(blockhash, nowMs);
    return false;
  }
}
