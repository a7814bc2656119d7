import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { anchoredLog, lookupOf } from '../../fixture/anchored-log.ts';
import {
  anchoredBundle,
  forgedBundle,
  HELD,
  holding,
  ownBlock,
} from '../../fixture/anchored-misdeeds.ts';
import { type Loose, wireBytes } from '../../fixture/forge.ts';
import { minedRun } from '../../fixture/mined-run.ts';
import { codesOf, judge } from '../../fixture/published.ts';

const log = await anchoredLog();
const held = await anchoredBundle(HELD);
/** The block that the report names. */
const AFTER = 2091;

function judged(bundle: unknown, headers?: HeaderLookup): Promise<Verdict> {
  const options = headers === undefined ? {} : { headers };
  return judge({ kind: 'bundle', bytes: wireBytes(bundle) }, {}, options);
}

/** A bundle whose batch has a block of its own at a height. */
async function early(
  height: number,
): Promise<{ readonly bundle: Loose; readonly header: Uint8Array }> {
  let header = new Uint8Array(0);
  const bundle = await forgedBundle(holding, (body, forge) => {
    const run = minedRun(parseHex(body['tip'] as string, 32));
    header = run.slice(0, 80);
    ownBlock(body, forge, height, run);
  });
  return { bundle, header };
}

test('a block a little below the one that the report names: a reorganisation, which is named', async () => {
  const verdict = await judged((await early(AFTER - 5)).bundle);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  const said = verdict.not_checked.map(({ what, why }) => `${what}: ${why}`).join('\n');
  assert.match(said, /which of two blocks the chain has: 2091.*or 2086.*a reorganisation/s);
  assert.deepEqual(codesOf(await judged((await early(AFTER - 6)).bundle)), [
    'anchor_proof_invalid',
  ]);
});

test('where the headers given have both, it is a finding', async () => {
  const { bundle, header } = await early(AFTER - 5);
  const own = lookupOf(log);
  const headers = lookupOf(log, {
    header: (height) => (height === AFTER - 5 ? Promise.resolve(header) : own.header(height)),
  });
  assert.deepEqual(codesOf(await judged(bundle, headers)), ['anchor_proof_invalid']);
});

test('headers of another network are not used, and that is reported', async () => {
  const verdict = await judged(held, lookupOf(log, { network: 'bitcoin' }));
  assert.equal(verdict.outcome, 'verified');
  const said = verdict.not_checked.map(({ what }) => what);
  assert.equal(
    said.includes("the bundle's blocks against the headers given, which are of bitcoin"),
    true,
  );
});

test('a stale beacon bounds the report all the same: it was mined before', async () => {
  const own = lookupOf(log);
  const headers = lookupOf(log, {
    header: (height) => own.header(height === AFTER ? 5 : height),
  });
  const verdict = await judged(held, headers);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  const [window] = (verdict.outcome === 'verified' ? verdict.bitcoin?.windows : []) ?? [];
  assert.deepEqual([window?.after?.trust, window?.before?.trust], ['work', 'headers']);
  assert.match(verdict.not_checked.map(({ why }) => why).join(), /a stale block/);
});
