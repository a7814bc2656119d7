/** Whole unix seconds. The time is passed as an argument everywhere below. */
export type Clock = () => number;

export const systemClock: Clock = () => Math.floor(Date.now() / 1000);

/** Seconds since this process began, without steps. They do not count while the machine sleeps. */
export const processClock: Clock = () => performance.now() / 1000;

/** `clock` without its steps back, so that nothing is read after it was published. */
export function monotone(clock: Clock): Clock {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    last = Math.max(last, clock());
    return last;
  };
}
