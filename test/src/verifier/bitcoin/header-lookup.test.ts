import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { workOf } from '@assay/core/bitcoin/work';
import {
  type HeaderLookup,
  isCheap,
  sourceFacts,
  whyNone,
  worthOf,
  worthText,
} from '@assay/verifier/bitcoin/header-lookup';
import { anchoredLog, lookupOf } from '../fixture/anchored-log.ts';
import { anchoredBundle, HELD } from '../fixture/anchored-misdeeds.ts';
import { wireBytes } from '../fixture/forge.ts';
import { codesOf, judge } from '../fixture/published.ts';

const PRICE = workOf(LAST_EPOCH.bits);
const AFTER = LAST_EPOCH.height + 1;

function lookup(change: Partial<HeaderLookup> = {}): HeaderLookup {
  return {
    kind: 'headers',
    network: 'bitcoin',
    first: 0,
    work: { count: 1000, hashes: 1400n * PRICE },
    tip: { height: LAST_EPOCH.height + 1000, time: 1_710_000_000 },
    header: () => Promise.resolve(undefined),
    description: 'headers checked from the genesis block',
    ...change,
  };
}

const cheap = { count: 1000, hashes: 500n * PRICE - 1n };

test('headers are worth what they took, in headers of where the table ends', () => {
  assert.deepEqual(worthOf({ count: 1000, hashes: 1400n * PRICE }), { worth: 1400, of: 1000 });
  assert.equal(worthText(worthOf(cheap)), 'worth 499 of 1000 headers');
  assert.deepEqual(
    [cheap, { count: 1000, hashes: 500n * PRICE }, { count: 0, hashes: 0n }].map((each) =>
      isCheap(worthOf(each)),
    ),
    [true, false, false],
  );
});

test('headers that were made for less than half vouch for nothing after the table', () => {
  const made = lookup({ work: cheap });
  assert.match(whyNone(made, AFTER) ?? '', /^the headers given are worth 499 of 1000 headers of /);
  // Up to there they are held to the table's last block.
  assert.equal(whyNone(made, LAST_EPOCH.height), undefined);
  assert.equal(whyNone(lookup(), AFTER), undefined);
  // A node, or whoever is asked for single headers, shows no whole chain.
  assert.equal(whyNone(lookup({ work: null }), AFTER), undefined);
});

test('a block is vouched for once six headers follow it', () => {
  const { tip } = lookup();
  assert.equal(whyNone(lookup(), tip.height - 6), undefined);
  assert.equal(whyNone(lookup(), tip.height - 5), 'recent: 5 of 6 headers follow');
  assert.equal(whyNone(lookup({ kind: 'explorer' }), tip.height), 'recent: 0 of 6 headers follow');
});

test('what a verdict says about them', () => {
  assert.equal(sourceFacts(undefined), null);
  assert.deepEqual(sourceFacts(lookup()), {
    description: 'headers checked from the genesis block',
    height: LAST_EPOCH.height + 1000,
    time: '2024-03-09T16:00:00Z',
    work: { worth: 1400, of: 1000 },
  });
  assert.equal(sourceFacts(lookup({ work: null }))?.work, null);
});

test('a bundle carries the seven headers of its block, also where headers are given', async () => {
  const bundle = await anchoredBundle(HELD);
  const headers = lookupOf(await anchoredLog());
  const bytes = wireBytes({ ...bundle, headers: [] });
  const verdict = await judge({ kind: 'bundle', bytes }, {}, { headers });
  assert.deepEqual(codesOf(verdict), ['bundle_incomplete']);
});

test('headers that end at the block of a bundle do not vouch for it', async () => {
  const bundle = await anchoredBundle(HELD);
  const height = bundle.headers[0]?.height ?? 0;
  const log = await anchoredLog();
  const headers = lookupOf(log, { tip: { height, time: log.chain.tip.time } });
  const verdict = await judge({ kind: 'bundle', bytes: wireBytes(bundle) }, {}, { headers });
  assert.equal(verdict.outcome, 'verified');
  const before = verdict.outcome === 'verified' ? verdict.bitcoin?.windows[0]?.before : null;
  assert.deepEqual([before?.trust, before?.doubt], ['work', 'recent: 0 of 6 headers follow']);
});
