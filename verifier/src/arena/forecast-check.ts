import {
  forecastFault,
  type ForecastFault,
  forecastSignature,
} from '@assay/core/arena/forecast-check';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Forecast } from '@assay/core/kind/forecast';
import { forecastCount } from '@assay/core/view/forecasts';
import { handleRow } from '@assay/core/view/handles';
import { roundRow } from '@assay/core/view/rounds';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from '../check/read-check.ts';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import type { RoundPlace } from './round-check.ts';

const EXPECTED: Readonly<Record<ForecastFault, string>> = {
  house: 'a handle that is not of the house, whose forecasts stand in the round',
  key: 'the key of the handle in its first forecast, and a signature in all of them',
  counter: 'a counter above that of the handle’s forecast before it',
};

/**
 * Checks that a forecast is of an open round, that it is the next one there, and that its key and its counter are those of its
 * handle. A forecast after the freeze, or one that repeats another, is found here.
 */
export function checkForecast(
  forecast: Forecast,
  { at, place }: RoundPlace,
  state: ViewState,
  sha256: Sha256,
  findings: Findings,
): void {
  const { round: id, ordinal, handle } = forecast;
  const row = roundRow(state, id);
  if (row === undefined) {
    findings.add('forecast_not_due', place, 'a round of this log', id);
    return;
  }
  if (row.freeze !== null) {
    const expected = `no forecast after entry ${row.freeze.seq}, which froze the round`;
    findings.add('forecast_not_due', place, expected, `forecast ${ordinal} of ${id}`);
    return;
  }
  if (at >= row.body.closes_at) {
    findings.add('forecast_not_due', place, `before ${row.body.closes_at}`, at);
  }
  const due = forecastCount(state, id);
  if (ordinal !== due) {
    findings.add('forecast_differs', `${place}/ordinal`, `${due}, the next one`, `${ordinal}`);
  }
  const before = handleRow(state, handle);
  const fault = forecastFault(sha256, before, forecast);
  if (fault === undefined && forecast.key !== null && before !== undefined) {
    // The id is the hash of the key, so whatever was made in its name without the key was invented.
    const expected = `a signature by ${forecast.key}, of which ${handle} is the hash`;
    findings.add('forecast_bad_signature', `entry ${before.since}`, expected, 'none');
  }
  if (fault !== undefined) {
    const { counter } = forecast;
    const found = fault === 'counter' ? `${counter} of ${handle}` : handle;
    findings.add('forecast_differs', `${place}/${fault}`, EXPECTED[fault], found);
  }
}

/** Checks the signature of a forecast by the key of its handle. `key` is the one that the log has; null where it has none. */
export async function checkForecastSignature(
  forecast: Forecast,
  log: HashHex,
  key: string | null,
  place: string,
  { sha256, verifySignature }: Environment,
  { findings, tally }: CheckContext,
): Promise<void> {
  const signed = forecastSignature(sha256, log, key ?? forecast.key, forecast);
  if (signed === undefined) return;
  tally.signatures += 1;
  if (await verifySignature(signed.key, signed.message, signed.signature)) return;
  const expected = `a signature by ${key ?? forecast.key ?? 'no key'}`;
  findings.add('forecast_bad_signature', place, expected, 'one that does not verify');
}
