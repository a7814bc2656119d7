/** Milliseconds of work after which others have their turn. */
const SLICE_MS = 10;
/** Steps between two looks at the clock: what has fewer is never cut, whatever else the machine does. */
const STEPS = 64;

/**
 * Cuts long work into slices, so that requests are answered meanwhile. What it returns is called at each step, and gives
 * a promise to wait for where a slice is used up. `now`: milliseconds without steps.
 */
export function slices(
  now: () => number,
  sliceMs: number = SLICE_MS,
): () => Promise<void> | undefined {
  let begun = now();
  let steps = 0;
  return () => {
    steps += 1;
    if (steps % STEPS !== 0 || now() - begun < sliceMs) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        begun = now();
        resolve();
      });
    });
  };
}
