import { hashHex, type HashHex } from '../hash/hash.ts';
import type { Forecast } from '../kind/forecast.ts';
import { forecastLeaf } from '../kind/forecast-leaf.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { roundRow } from './rounds.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

const forecastsTable = (round: string): string => `forecasts/${round}`;
/** By handle: the ordinal of its newest forecast. */
const newestTable = (round: string): string => `forecasts-newest/${round}`;

/** A forecast with its entry. */
export interface ForecastRow {
  readonly seq: number;
  /** The time of the entry, as it claims. */
  readonly at: TimeText;
  /** Its leaf in the tree of the round. */
  readonly leaf: HashHex;
  readonly body: Forecast;
}

/**
 * The forecasts of each round, and the newest of each handle. A forecast has an effect only where its round is known and not
 * frozen, and where its ordinal is the next one.
 */
export const forecastsView: View = {
  name: 'forecasts',
  apply(entry, state, sha256) {
    if (entry.kind !== 'forecast/1') return [];
    const { body, seq, at } = entry;
    if (!isNextForecast(state, body)) return [];
    const row: ForecastRow = { seq, at, leaf: hashHex(forecastLeaf(sha256, body)), body };
    return [
      { table: forecastsTable(body.round), key: seqKey(body.ordinal), value: wire(row) },
      { table: newestTable(body.round), key: body.handle, value: body.ordinal },
    ];
  },
};

/** Whether a forecast is the next one that its round can take. Only such a one has an effect. */
export function isNextForecast(state: ViewState, { round, ordinal }: Forecast): boolean {
  const row = roundRow(state, round);
  return row !== undefined && row.freeze === null && ordinal === forecastCount(state, round);
}

/** How many forecasts a round has. */
export function forecastCount(state: ViewState, round: string): number {
  for (const [newest] of state.descend(forecastsTable(round))) return Number(newest) + 1;
  return 0;
}

/** How many handles have a forecast in a round. */
export function handleCount(state: ViewState, round: string): number {
  let count = 0;
  for (const _ of state.list(newestTable(round))) count += 1;
  return count;
}

/** The forecasts of a round in the order of their ordinals. */
export function* forecastsOf(state: ViewState, round: string): Generator<ForecastRow> {
  for (const [, row] of state.list(forecastsTable(round))) yield row as unknown as ForecastRow;
}

/** The forecast with this ordinal. */
export function forecastAt(
  state: ViewState,
  round: string,
  ordinal: number,
): ForecastRow | undefined {
  const row = state.get(forecastsTable(round), seqKey(ordinal));
  return row as unknown as ForecastRow | undefined;
}

/** The newest forecast of a handle in a round. */
export function newestForecast(
  state: ViewState,
  round: string,
  handle: string,
): ForecastRow | undefined {
  const ordinal = state.get(newestTable(round), handle) as number | undefined;
  return ordinal === undefined ? undefined : forecastAt(state, round, ordinal);
}
