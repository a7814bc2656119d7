import type { Representation } from '../http/representation.ts';

interface Kept {
  readonly version: string;
  /** Unix seconds from which it no longer stands. */
  readonly until: number;
  readonly shown: Representation;
}

/** Answers that rest on the record and on more than it: each is made once for a version of all that. */
export class KeptAnswers {
  readonly #kept = new Map<string, Kept>();
  readonly #most: number;

  /** At most so many are kept; one more starts over. */
  constructor(most: number) {
    this.#most = most;
  }

  /** What is kept for a path and stands at `now`; else what `make` makes, which is kept. */
  answer(
    path: string,
    version: string,
    now: number,
    make: () => { readonly shown: Representation; readonly until: number },
  ): Representation {
    const known = this.#kept.get(path);
    if (known?.version === version && now < known.until) return known.shown;
    const { shown, until } = make();
    if (!this.#kept.has(path) && this.#kept.size >= this.#most) this.#kept.clear();
    this.#kept.set(path, { version, until, shown });
    return shown;
  }
}
