/** 2026-07-30T00:00:00Z. */
export const ANCHOR_START = 1_785_369_600;

/** Simulated seconds in a second. */
const PACE = 1200;

/** Seconds of a block: two blocks a real second. */
export const ANCHOR_BLOCK_S = 600;

/** A quick clock that several processes share: `epoch` is when it started, in milliseconds. */
export function anchorClock(epoch: number): () => number {
  return () => ANCHOR_START + Math.floor(((Date.now() - epoch) / 1000) * PACE);
}
