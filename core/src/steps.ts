/** Work in pieces of some milliseconds each, between which others can have their turn, and what comes of it. */
export type Steps<T> = Generator<undefined, T>;

/** Does all of it at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does all of it, with `pause` after each piece; without one at once. What `pause` throws ends it. */
export async function pacedSteps<T>(steps: Steps<T>, pause?: () => Promise<void>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pause?.();
  }
}
