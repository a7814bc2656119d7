import { countingForecasts } from '@assay/core/arena/freeze-draft';
import { openPlain, openSealedForecast, parseOpenings } from '@assay/core/arena/openings';
import type { ArenaNumber } from '@assay/core/arena/forecast/arena-number';
import { arenaOf, type OpenedValues } from '@assay/core/arena/grade-draft';
import { parseHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { ForecastRow } from '@assay/core/view/forecasts';
import type { RoundRow } from '@assay/core/view/rounds';
import type { ViewState } from '@assay/core/view/view';
import type { BlobStore } from '../blob/blob-store.ts';
import { slices } from '../ledger/store/slices.ts';

/** Opens sealed bytes with the signature of their round, in a thread; undefined for each that does not open. */
export type OpenAll = (
  signature: Uint8Array,
  sealed: readonly Uint8Array[],
  options: { readonly signal: AbortSignal },
) => Promise<readonly (Uint8Array | undefined)[]>;

/** What opens the forecasts of a round. */
export interface OpeningParts {
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly openAll: OpenAll;
  readonly sha256: Sha256;
  readonly log: HashHex;
  readonly signal: AbortSignal;
}

/** What the forecasts of a round showed when they were opened. */
export interface RoundValues {
  /** The values of those that opened, by ordinal. */
  readonly values: OpenedValues;
  /** The ordinals of all that were tried. */
  readonly tried: ReadonlySet<number>;
  readonly arena: ArenaNumber;
}

/**
 * Opens the forecasts of an opened round that count: the sealed ones with the signature of the beacon's round, the others with
 * the blob of its freeze. Throws `not_found` where that blob is missing, `blob_differs` where it is damaged, and what
 * `parseOpenings` throws.
 */
export async function openRound(
  state: ViewState,
  row: RoundRow,
  parts: OpeningParts,
): Promise<RoundValues> {
  const counting = countingForecasts(state, row);
  const values = new Map<number, bigint>();
  const plain = counting.filter(({ body }) => body.sealed === null);
  await openPlains(row, plain, parts, values);
  const sealed = counting.filter(({ body }) => body.sealed !== null);
  await openSealeds(row, sealed, parts, values);
  return {
    values,
    tried: new Set(counting.map(({ body }) => body.ordinal)),
    arena: arenaOf(row.freeze?.body.top ?? [], counting, values),
  };
}

async function openPlains(
  { freeze }: RoundRow,
  forecasts: readonly ForecastRow[],
  { blobs, sha256, log }: OpeningParts,
  values: Map<number, bigint>,
): Promise<void> {
  const hash = freeze?.body.openings ?? null;
  if (hash === null || forecasts.length === 0) return;
  const bytes = await blobs.get(hash);
  if (bytes === undefined) throw new Fault('not_found', 'openings', { expected: `blob ${hash}` });
  const { openings } = parseOpenings(bytes);
  const byOrdinal = new Map(openings.map((opening) => [opening.ordinal, opening]));
  const pause = slices(() => performance.now());
  for (const forecast of forecasts) {
    const opening = byOrdinal.get(forecast.body.ordinal);
    const value = opening && openPlain(sha256, log, forecast, opening);
    if (value !== undefined) values.set(forecast.body.ordinal, value);
    const paused = pause();
    if (paused !== undefined) await paused;
  }
}

async function openSealeds(
  { unseal }: RoundRow,
  forecasts: readonly ForecastRow[],
  { openAll, sha256, log, signal }: OpeningParts,
  values: Map<number, bigint>,
): Promise<void> {
  const signature = unseal?.body.signature ?? null;
  if (signature === null || forecasts.length === 0) return;
  const sealed = forecasts.map(({ body }) => parseHex(body.sealed ?? ''));
  const opened = await openAll(parseHex(signature), sealed, { signal });
  for (const [i, forecast] of forecasts.entries()) {
    const value = openSealedForecast(sha256, log, forecast, () => opened[i]);
    if (value !== undefined) values.set(forecast.body.ordinal, value);
  }
}
