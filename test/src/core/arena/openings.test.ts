import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatOpenings,
  openPlain,
  openSealedForecast,
  parseOpenings,
} from '@assay/core/arena/openings';
import { MAX_FORECAST } from '@assay/core/arena/forecast/forecast-message';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { parseHex } from '@assay/core/bytes/hex';
import { openSealed } from '@assay/core/timelock/sealed';
import { sha256 } from '../fixture/fixture.ts';
import { ArenaLog, secretForecaster } from './arena-log.ts';

const [ADA, EVE] = [secretForecaster('ada'), secretForecaster('eve')];
const AT = '2026-08-03T02:00:01Z';

function world(): { readonly log: ArenaLog; readonly id: string } {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  const [round] = log.open('2026-08-03T02:00:00Z');
  return { log, id: round?.id ?? '' };
}

test('openings: a blob, and nothing but one', () => {
  const opening = { ordinal: 3, salt: '5a'.repeat(32), value: '-7' };
  const blob = {
    type: 'assay-openings/1',
    round: 'layoffs-2026-08-22',
    openings: [opening],
  } as const;
  const bytes = formatOpenings(blob);
  assert.deepEqual(parseOpenings(bytes), blob);
  for (const change of [
    { openings: [] },
    { openings: [{ ...opening, value: '-07' }] },
    { openings: [{ ...opening, salt: '5a' }] },
    { round: 'x' },
    { type: 'assay-openings/2' },
  ]) {
    const text = JSON.stringify({ ...blob, ...change }).replace(/^/, '');
    const sorted = formatOpenings({ ...blob, ...change } as never);
    assert.throws(() => parseOpenings(sorted), { code: 'malformed' }, text);
  }
  assert.throws(() => parseOpenings(formatUtf8(JSON.stringify(blob))), { code: 'not_canonical' });
});

test('openings: a plain forecast opens with its own salt and value', () => {
  const { log, id } = world();
  const body = log.take(id, ADA, 1234n, AT);
  const opening = { ordinal: 0, ...(log.plain.get(`${id} 0`) ?? { salt: '', value: '' }) };
  const open = (change: object, of: object = {}): bigint | undefined =>
    openPlain(sha256, log.log, { body: { ...body, ...of } }, { ...opening, ...change });
  assert.equal(open({}), 1234n);
  assert.equal(open({ value: '1235' }), undefined);
  assert.equal(open({ salt: '00'.repeat(32) }), undefined);
  assert.equal(open({}, { handle: EVE.handle }), undefined);
  assert.equal(open({}, { round: 'layoffs-2026-08-09' }), undefined);
  assert.equal(open({}, { commitment: null }), undefined);
  const far = log.take(id, ADA, MAX_FORECAST + 1n, AT);
  const last = { ordinal: 1, ...(log.plain.get(`${id} 1`) ?? { salt: '', value: '' }) };
  assert.equal(openPlain(sha256, log.log, { body: far }, last), undefined, 'out of bounds');
});

test('openings: a copied ciphertext opens for nobody but its own handle', () => {
  const { log, id } = world();
  const own = log.take(id, ADA, 1234n, AT, { isSealed: true });
  const copy = { ...own, ordinal: 1, handle: EVE.handle };
  const signature = parseHex(log.beacon(id));
  const open = (sealed: Uint8Array): Uint8Array | undefined => openSealed(signature, sealed);
  assert.equal(openSealedForecast(sha256, log.log, { body: own }, open), 1234n);
  assert.equal(openSealedForecast(sha256, log.log, { body: copy }, open), undefined);
  const wrong = { ...own, round: 'layoffs-2026-08-09' };
  assert.equal(openSealedForecast(sha256, log.log, { body: wrong }, open), undefined);
  const plain = log.forecast(id, ADA, 1n);
  assert.equal(openSealedForecast(sha256, log.log, { body: plain }, open), undefined);
  assert.equal(
    openSealedForecast(sha256, log.log, { body: own }, () => undefined),
    undefined,
  );
});
