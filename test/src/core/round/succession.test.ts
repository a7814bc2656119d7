import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugFault, successionFaults } from '@assay/core/round/succession';
import { toTime } from '@assay/core/time/time';
import {
  cpiRule,
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  withheldRule,
} from '../fixture/fixture.ts';

const AT = toTime('2026-07-30T12:00:00Z');

function startLog(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  return log;
}

const expectations = (
  log: SampleLog,
  change: Readonly<Record<string, unknown>>,
): readonly string[] =>
  successionFaults(layoffsRule(change), 'development', log.views, AT).map(
    ({ expected }) => expected,
  );

test('succession: the first rule is version 1 of the log’s network, whatever its level', () => {
  const log = startLog();
  assert.deepEqual(expectations(log, {}), []);
  assert.deepEqual(expectations(log, { version: 2 }), ['version 1']);
  assert.deepEqual(expectations(log, { network: 'production' }), [
    'a rule of the development network',
  ]);
  assert.deepEqual(successionFaults(withheldRule(), 'development', log.views, AT), []);
});

test('succession: the bytes behind every read that counts are kept', () => {
  const log = startLog();
  const [press, table, api] = layoffsRule().providers;
  assert.deepEqual(expectations(log, { providers: [press, { ...table, retain: 'hash' }, api] }), [
    'kept bytes of every read that counts',
  ]);
  assert.deepEqual(
    expectations(log, { providers: [press, table, { ...api, retain: 'none' }] }),
    [],
  );
});

test('succession: no index takes the name of another', () => {
  const log = startLog();
  log.append('rule/1', { rule: cpiRule({ slug: 'us-prices' }) });
  assert.deepEqual(expectations(log, { slug: 'us-prices' }), ['a name that CPI does not have']);
  assert.deepEqual(expectations(log, { slug: 'cpi' }), [
    'the slug layoffs, or one that can be no ticker',
    'a name that CPI does not have',
  ]);
  assert.deepEqual(expectations(log, {}), []);
});

test('succession: a slug that could be a ticker is the index’s own, whoever comes first', () => {
  const log = startLog();
  const own = 'the slug fake, or one that can be no ticker';
  const fake = { ticker: 'FAKE', display: 'FAKE' };
  // Before LAYOFFS is there: whoever asks for layoffs later would be shown FAKE.
  assert.deepEqual(expectations(log, { ...fake, slug: 'layoffs' }), [own]);
  for (const slug of ['fake', 'us-layoffs', '2layoffs', 'layoffs-', 'l'.repeat(17)]) {
    assert.deepEqual(expectations(log, { ...fake, slug }), [], slug);
  }
  for (const slug of ['f', 'fakes', 'l'.repeat(16), 'a1']) {
    assert.deepEqual(expectations(log, { ...fake, slug }), [own], slug);
  }
  log.append('rule/1', { rule: layoffsRule() });
  assert.equal(expectations(log, { ...fake, slug: 'layoffs' })[0], own);
  assert.deepEqual(slugFault({ slug: 'layoffs', ticker: layoffsRule().ticker }), undefined);
});

test('succession: the next keeps what z and readers rest on', () => {
  const log = startLog();
  log.append('rule/1', { rule: layoffsRule() });
  const next = { version: 2, applies_from: '2026-08-01' };
  assert.deepEqual(expectations(log, next), []);
  assert.deepEqual(expectations(log, { ...next, version: 1 }), ['version 2']);
  assert.deepEqual(expectations(log, { ...next, version: 3 }), ['version 2']);
  assert.deepEqual(expectations(log, { ...next, applies_from: '2026-07-25' }), [
    'a first period after 2026-07-25',
  ]);
  assert.deepEqual(expectations(log, { ...next, decimals: 1 }), ['0 decimals']);
  assert.deepEqual(expectations(log, { ...next, period: 'utc_day' }), [
    'periods of week_ending_saturday',
  ]);
  assert.deepEqual(expectations(log, { ...next, display: 'Layoffs' }), [
    'the display name LAYOFFS',
  ]);
  log.append('report/1', { report: sampleReport('void'), signature: 'ab'.repeat(64) });
  assert.deepEqual(expectations(log, next), ['a first period after 2026-08-01, which is printed']);
  assert.deepEqual(expectations(log, { ...next, applies_from: '2026-08-08' }), []);
});

test('succession: a rule comes before the release of each of its periods under any version', () => {
  const log = startLog();
  log.append('rule/1', { rule: layoffsRule() });
  // The week ending 2026-08-01 is released on 2026-08-06 under version 1, whatever version 2 says.
  const { release } = layoffsRule();
  const next = layoffsRule({
    version: 2,
    applies_from: '2026-08-01',
    release: { ...release, exceptions: [{ period: '2026-08-01', date: '2026-08-20' }] },
  });
  const faults = (at: string) =>
    successionFaults(next, 'development', log.views, toTime(at)).map(({ found }) => found);
  assert.deepEqual(faults('2026-08-06T12:29:59Z'), []);
  assert.deepEqual(faults('2026-08-06T12:30:00Z'), ['2026-08-01']);
});
