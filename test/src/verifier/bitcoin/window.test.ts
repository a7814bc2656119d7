import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import type { Window } from '@assay/verifier/verdict/verdict';
import { anchoredLog, lookupOf } from '../fixture/anchored-log.ts';
import { judgeSite, publish, siteOf } from '../fixture/published.ts';

const log = await anchoredLog();
const site = siteOf(publish(log.entries, log.blobs, log.checkpoints));

async function windowsOf(
  entries: readonly number[],
  headers?: HeaderLookup,
): Promise<readonly Window[]> {
  const options = headers === undefined ? { entries } : { entries, headers };
  const verdict = await judgeSite(site, {}, options);
  assert.equal(verdict.outcome, 'verified');
  return verdict.outcome === 'verified' ? (verdict.bitcoin?.windows ?? []) : [];
}

const heights = ({ after, before }: Window): unknown => [
  after?.height ?? null,
  before?.height ?? null,
];

test('an entry lies after the block that the log named before it, and before the one that holds it', async () => {
  const [genesis, report, covered, late] = await windowsOf([0, 9, 11, 33]);
  assert.deepEqual(heights(genesis as Window), [null, 2]);
  assert.deepEqual(heights(report as Window), [1081, 1156]);
  assert.equal(report?.kind, 'report/1');
  // The entry that records a batch is held by the next one.
  assert.deepEqual(heights(covered as Window), [1081, 2164]);
  assert.deepEqual(heights(late as Window), [2197, null]);
  assert.match(
    late?.pending ?? '',
    /^said to be stamped 2026-07-24T00:20:00Z; the publisher says that http:\/\/prompt/,
  );
});

test('the beacon itself is not before itself, and what no batch covers says so', async () => {
  const [beacon, last] = await windowsOf([5, 36]);
  assert.deepEqual(heights(beacon as Window), [1, 1156]);
  assert.equal(last?.pending, 'no batch of stamps covers it yet');
});

test('a stale beacon bounds nothing where the headers given have another block', async () => {
  assert.deepEqual(heights((await windowsOf([15]))[0] as Window), [1156, 2164]);
  const [window] = await windowsOf([15], lookupOf(log));
  assert.deepEqual(heights(window as Window), [1155, 2164]);
  assert.deepEqual([window?.after?.trust, window?.before?.trust], ['headers', 'headers']);
});

test('each entry once, in the order of the log; one beyond its end is named', async () => {
  const windows = await windowsOf([20, 3, 3]);
  assert.deepEqual(
    windows.map(({ seq }) => seq),
    [3, 20],
  );
  const verdict = await judgeSite(site, {}, { entries: [38] });
  assert.equal(
    verdict.not_checked.some(({ what }) => what === 'entry 38'),
    true,
  );
});
