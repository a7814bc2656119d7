import { draftFreeze } from '@assay/core/arena/freeze-draft';
import { type ForecastOpenings, openPlain, parseOpenings } from '@assay/core/arena/openings';
import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Freeze } from '@assay/core/kind/freeze';
import { forecastsOf } from '@assay/core/view/forecasts';
import { roundRow } from '@assay/core/view/rounds';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from '../check/read-check.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { RoundPlace } from './round-check.ts';

/** Steps of an opening beside its hash: it is read from a row and parsed. */
const OPENING_STEPS = 4096;

/**
 * Checks the end of a round's forecasts: once, not before the close, with the count, the root, the handles and the weights that
 * follow from the rows before it. Every forecast that is not sealed has to open. Returns the values of those, by
 * ordinal; undefined where the openings cannot be read or the round cannot be frozen.
 */
export async function checkFreeze(
  freeze: Freeze,
  { at, place }: RoundPlace,
  log: HashHex,
  state: ViewState,
  sha256: Sha256,
  context: CheckContext,
): Promise<ReadonlyMap<number, bigint> | undefined> {
  const { findings } = context;
  const row = roundRow(state, freeze.round);
  if (row === undefined || row.freeze !== null) {
    const before = row?.freeze?.seq;
    const expected =
      before === undefined ? 'a round of this log' : `one freeze, that of entry ${before}`;
    findings.add('freeze_not_due', place, expected, freeze.round);
    return undefined;
  }
  if (at < row.body.closes_at) {
    findings.add('freeze_not_due', place, `${row.body.closes_at} or later`, at);
  }
  const draft = draftFreeze(state, sha256, row, freeze.openings);
  const difference = firstDifference(draft, freeze);
  if (difference !== undefined) {
    const { path, expected, found } = difference;
    findings.add('freeze_differs', `${place}${path}`, expected, found);
  }
  return checkPlain(freeze, place, log, state, sha256, context);
}

/** Opens the forecasts of a round that are not sealed. Each has to have one opening, and no other forecast may have one. */
async function checkPlain(
  { round, openings: hash }: Freeze,
  place: string,
  log: HashHex,
  state: ViewState,
  sha256: Sha256,
  context: CheckContext,
): Promise<ReadonlyMap<number, bigint> | undefined> {
  const { findings, work } = context;
  const plain = [...forecastsOf(state, round)].filter(({ body }) => body.commitment !== null);
  const read = hash === null ? undefined : await readOpenings(hash, place, context);
  if (hash !== null && read === undefined) return undefined;
  if (read !== undefined && read.round !== round) {
    findings.add('freeze_differs', `${place}/openings`, round, read.round);
  }
  const openings = new Map(read?.openings.map((each) => [each.ordinal, each]));
  const count = read?.openings.length ?? 0;
  if (count !== openings.size || (plain.length === 0 && hash !== null)) {
    const expected = 'one opening of each forecast that is not sealed';
    findings.add('freeze_differs', `${place}/openings`, expected, `${count} openings`);
  }
  const values = new Map<number, bigint>();
  for (const row of plain) {
    work.charge(OPENING_STEPS);
    const { ordinal, handle } = row.body;
    const opening = openings.get(ordinal);
    openings.delete(ordinal);
    const value = opening === undefined ? undefined : openPlain(sha256, log, row, opening);
    if (value !== undefined) {
      values.set(ordinal, value);
      continue;
    }
    const found = opening === undefined ? 'none' : 'one that does not open it';
    const expected = `an opening of forecast ${ordinal} of ${handle}, entry ${row.seq}`;
    findings.add('forecast_unopened', place, expected, found);
  }
  for (const ordinal of openings.keys()) {
    const expected = 'openings of forecasts that are not sealed alone';
    findings.add('freeze_differs', `${place}/openings`, expected, `one of forecast ${ordinal}`);
  }
  return values;
}

async function readOpenings(
  hash: HashHex,
  place: string,
  { evidence, findings, work }: CheckContext,
): Promise<ForecastOpenings | undefined> {
  const bytes = await evidence.bytes(hash, place);
  if (bytes === undefined) return undefined;
  try {
    return parseOpenings(bytes, work);
  } catch (error) {
    work.requireLeft();
    const at = `${place}, blob ${hash}`;
    findings.add('openings_malformed', at, 'the openings of a round', messageOf(error));
    return undefined;
  }
}
