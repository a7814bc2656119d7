import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { leafHash } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { keysOf } from '@assay/core/view/key/keys';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { checkBundleKeys, nameNewestKey } from '@assay/verifier/subject/bundle/keys';
import type { BundleEntry } from '@assay/verifier/subject/bundle/recount';
import { Findings } from '@assay/verifier/verdict/finding';
import type { CheckContext } from '@assay/verifier/check/read-check';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import { ENVIRONMENT } from '../../fixture/published.ts';
import { hexOf, REPORT_KEYS, rotated } from '../../fixture/rotated-log.ts';

const { entries } = rotated();
const whole = entries.flatMap((bytes): readonly BundleEntry[] => {
  const layout = scanEntry(bytes);
  const known = bodyParser(nodeSha256)(layout.kind, entryBody(bytes, layout));
  if (known === undefined) return [];
  return [{ seq: layout.seq, at: layout.at, leaf: leafHash(nodeSha256, bytes), known }];
});
const log = Buffer.from(whole[0]?.leaf ?? []).toString('hex') as never;

async function keysFrom(some: readonly BundleEntry[]) {
  const findings = new Findings();
  const tally = emptyTally();
  const notChecked = new NotCheckedList();
  const context = { findings, tally, notChecked } as unknown as CheckContext;
  const keys = keysOf(await checkBundleKeys(some, log, ENVIRONMENT, context));
  nameNewestKey(keys, undefined, notChecked);
  const named = notChecked.list.map(({ what }) => what);
  return {
    keys: keys.map(({ key }) => key),
    codes: findings.list.map(({ code }) => code),
    tally,
    named,
  };
}

test('the keys that a bundle names, one after another', async () => {
  const { keys, codes, tally } = await keysFrom(whole);
  assert.deepEqual(keys, REPORT_KEYS.map(hexOf));
  assert.deepEqual(codes, []);
  assert.equal(tally.signatures, 4);
});

test('one that is left out is missed by the next, and the last by nobody', async () => {
  const places = whole.filter(({ known }) => known.kind === 'key/1').map(({ seq }) => seq);
  const without = (seq: number | undefined) => whole.filter((each) => each.seq !== seq);
  const gap = await keysFrom(without(places[0]));
  assert.deepEqual(gap.keys, [hexOf(REPORT_KEYS[0])]);
  assert.deepEqual(gap.codes, ['key_not_allowed']);
  const short = await keysFrom(without(places[1]));
  assert.deepEqual(short.keys, REPORT_KEYS.slice(0, 2).map(hexOf));
  assert.deepEqual(short.codes, []);
  // So the last is named.
  assert.deepEqual(short.named, [
    `that no key/1 after entry ${places[0]} replaces or revokes report key 1, ${hexOf(REPORT_KEYS[1])}`,
  ]);
  assert.deepEqual((await keysFrom(whole)).named, [
    `that no key/1 after entry ${places[1]} replaces or revokes report key 2, ${hexOf(REPORT_KEYS[2])}`,
  ]);
});
