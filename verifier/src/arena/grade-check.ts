import { countingForecasts } from '@assay/core/arena/freeze-draft';
import { draftGrades, gradedBy } from '@assay/core/arena/grade-draft';
import { openSealedForecast } from '@assay/core/arena/openings';
import { parseHex } from '@assay/core/bytes/hex';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Grade } from '@assay/core/kind/grade';
import type { RoundRow } from '@assay/core/view/rounds';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from '../check/read-check.ts';

/** Steps of opening a sealed forecast: a pairing and two multiplications, some 20 ms. */
const OPEN_STEPS = 8_388_608;

/** How many sealed forecasts a verification has opened, and how many it may open. */
export interface SealedOpenings {
  readonly limit: number;
  count: number;
}

/**
 * The values of a round's forecasts that count, by ordinal: `plain` has those of the freeze's openings, and each sealed one is
 * opened with the beacon's signature. Undefined, with nothing opened, where that would be more than the limit.
 */
export async function openRound(
  row: RoundRow,
  plain: ReadonlyMap<number, bigint>,
  log: HashHex,
  state: ViewState,
  sha256: Sha256,
  opened: SealedOpenings,
  { pause, tally, work }: CheckContext,
): Promise<ReadonlyMap<number, bigint> | undefined> {
  const text = row.unseal?.body.signature ?? null;
  const sealed = countingForecasts(state, row).filter(({ body }) => body.sealed !== null);
  if (text === null || sealed.length === 0) return plain;
  if (opened.count + sealed.length > opened.limit) return undefined;
  opened.count += sealed.length;
  const signature = parseHex(text);
  const values = new Map(plain);
  const { openSealed } = await import('@assay/core/timelock/sealed');
  for (const forecast of sealed) {
    work.charge(OPEN_STEPS);
    const open = (bytes: Uint8Array): Uint8Array | undefined => openSealed(signature, bytes);
    const value = openSealedForecast(sha256, log, forecast, open);
    if (value !== undefined) values.set(forecast.body.ordinal, value);
    tally.openings += 1;
    await pause?.();
  }
  return values;
}

/**
 * The grades that a round must have, drafted again; undefined with a finding where nothing in the log before them grades it.
 * `values` has what its forecasts opened to.
 */
export function dueGrades(
  row: RoundRow,
  place: string,
  state: ViewState,
  values: ReadonlyMap<number, bigint>,
  { findings }: CheckContext,
): readonly Grade[] | undefined {
  const drafts = gradedBy(state, row) === undefined ? undefined : draftGrades(state, row, values);
  if (drafts === undefined) {
    const { ticker, period } = row.body;
    const expected =
      row.unseal === null
        ? 'an entry before it that opens the round'
        : `a final or void of ${ticker} ${period} before it`;
    findings.add('grade_not_due', place, expected, 'none');
  }
  return drafts;
}
