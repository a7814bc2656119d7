/** Work in pieces of some milliseconds each, between which other tasks can run, and its result. */
export type Steps<T> = Generator<undefined, T>;

/** Runs all of it at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Runs all of it, with `pause` after each piece if `pause` is given. An error of `pause` ends it. */
export async function pacedSteps<T>(steps: Steps<T>, pause?: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pause?.();
  }
}
