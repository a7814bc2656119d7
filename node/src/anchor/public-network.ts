/** The public OpenTimestamps pool, as in its reference client. */
export const PUBLIC_POOL: readonly string[] = [
  'https://a.pool.opentimestamps.org',
  'https://b.pool.opentimestamps.org',
  'https://a.pool.eternitywall.com',
  'https://ots.btc.catallaxy.com',
];

/**
 * The calendars that its attestations name, each at the index of its address in the pool. Nobody else is asked
 * for a proof.
 */
export const PUBLIC_ATTESTORS: readonly string[] = [
  'https://alice.btc.calendar.opentimestamps.org',
  'https://bob.btc.calendar.opentimestamps.org',
  'https://finney.calendar.eternitywall.com',
  'https://btc.calendar.catallaxy.com',
];

/** The calendar behind each address of the pool. No other is believed to hold what was submitted there. */
export const PUBLIC_HOLDERS: ReadonlyMap<string, string> = new Map(
  PUBLIC_POOL.map((address, i) => [address, PUBLIC_ATTESTORS[i] as string]),
);

/** Explorers with Esplora's interface, for operators without a Bitcoin node. Their answers are checked. */
export const PUBLIC_EXPLORERS: readonly string[] = [
  'https://blockstream.info/api',
  'https://mempool.space/api',
];
