/** The milliseconds of work after which other work can run. */
const SLICE_MS = 10;
/** How many short steps are made between two readings of the clock. Shorter work is never interrupted. */
const STEPS = 64;

/** What long work does between its steps. */
export interface Turns {
  /** Called before each step; what it returns is awaited. */
  readonly pause: () => Promise<void> | undefined;
  /** Once it is aborted, the work ends early. */
  readonly signal?: AbortSignal;
}

/** The turns of work whose single steps may be long: the clock is read at each. */
export function turnsUntil(signal: AbortSignal): Turns {
  return { pause: slices(performance.now.bind(performance), SLICE_MS, 1), signal };
}

/**
 * Cuts long work into slices, so that requests are answered meanwhile. The function that it returns is called
 * at each step, and returns a promise to await if a slice is used up. `now` returns milliseconds without steps; it is called
 * once in `stepsARead` steps.
 */
export function slices(
  now: () => number,
  sliceMs: number = SLICE_MS,
  stepsARead: number = STEPS,
): () => Promise<void> | undefined {
  let begun = now();
  let steps = 0;
  return () => {
    steps += 1;
    if (steps % stepsARead !== 0 || now() - begun < sliceMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        begun = now();
        resolve();
      });
    });
  };
}
