/** One at a time for each key, in the order of the calls. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    let release = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#last.set(key, mine);
    try {
      await before;
      return await work();
    } finally {
      release();
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }

  /** Holds several keys at once. They are taken in one order everywhere, so that no two calls wait for each other. */
  runAll<T>(keys: Iterable<string>, work: () => Promise<T>): Promise<T> {
    const take = ([first, ...rest]: readonly string[]): Promise<T> =>
      first === undefined ? work() : this.run(first, () => take(rest));
    return take([...new Set(keys)].sort());
  }
}
