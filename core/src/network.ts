/**
 * Which promises a log makes. On the development network figures may be samples or synthetic, and keys are made
 * at the start, so nothing there may be settled on. The origin of a log determines its network permanently.
 */
export const NETWORKS = ['development', 'production'] as const;
export type Network = (typeof NETWORKS)[number];

/** The network of an origin: development if it begins with `development/`, otherwise production. */
export function networkOf(origin: string): Network {
  return origin.startsWith('development/') ? 'development' : 'production';
}

/** The beginning of the origin of every replay of recorded data. */
export const REPLAY_ORIGIN = 'development/replay';

/** Whether a log is a replay of recorded data. */
export function isReplay(origin: string): boolean {
  return origin.startsWith(REPLAY_ORIGIN);
}
