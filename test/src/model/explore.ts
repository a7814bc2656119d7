/** A step that may come next, with where it leads. */
export interface Step<S> {
  readonly name: string;
  readonly to: S;
}

/** A system of which every state is a plain value. */
export interface Model<S> {
  readonly start: S;
  /** Every step that is possible in a state. */
  readonly steps: (state: S) => readonly Step<S>[];
  /** What is wrong with a state; undefined if nothing is. */
  readonly fault: (state: S) => string | undefined;
}

/** What an exploration found. */
export interface Explored {
  readonly states: number;
  /** The first fault with the fewest steps that lead to it; undefined if there is none. */
  readonly fault: { readonly what: string; readonly steps: readonly string[] } | undefined;
}

/**
 * Visits every state that can be reached, breadth first, so that a fault comes with the shortest way to it. Throws
 * `RangeError` beyond `most` states: then the bounds of the model are too wide to say anything.
 */
export function explore<S>({ start, steps, fault }: Model<S>, most = 2_000_000): Explored {
  const before = new Map<string, { readonly key: string; readonly name: string } | undefined>();
  const first = JSON.stringify(start);
  before.set(first, undefined);
  let level: readonly string[] = [first];
  while (level.length > 0) {
    const next: string[] = [];
    for (const key of level) {
      const state = JSON.parse(key) as S;
      const what = fault(state);
      if (what !== undefined) {
        return { states: before.size, fault: { what, steps: wayTo(key, before) } };
      }
      for (const { name, to } of steps(state)) {
        const reached = JSON.stringify(to);
        if (before.has(reached)) continue;
        before.set(reached, { key, name });
        next.push(reached);
      }
      if (before.size > most) throw new RangeError(`more than ${most} states`);
    }
    level = next;
  }
  return { states: before.size, fault: undefined };
}

function wayTo(
  key: string,
  before: ReadonlyMap<string, { readonly key: string; readonly name: string } | undefined>,
): readonly string[] {
  const steps: string[] = [];
  for (let at = before.get(key); at !== undefined; at = before.get(at.key)) steps.unshift(at.name);
  return steps;
}
