/**
 * Which promises a log makes. On the development network figures may be samples or synthetic and
 * keys are made at start: nothing there may be settled on. The origin says which, for good.
 */
export const NETWORKS = ['development', 'production'] as const;
export type Network = (typeof NETWORKS)[number];

/** The network that an origin belongs to: `development/...` or anything else. */
export function networkOf(origin: string): Network {
  return origin.startsWith('development/') ? 'development' : 'production';
}

/** What the origin of every replay of recorded data begins with. */
export const REPLAY_ORIGIN = 'development/replay';

/** Whether a log is a replay of recorded data. */
export function isReplay(origin: string): boolean {
  return origin.startsWith(REPLAY_ORIGIN);
}
