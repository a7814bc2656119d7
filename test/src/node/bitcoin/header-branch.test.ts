import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { BITCOIN, type BitcoinNetwork, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { formatHeader, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { meetsTarget } from '@assay/core/bitcoin/work';
import {
  bitsOf,
  checkBranch,
  idAt,
  joined,
  lastCommon,
  newest,
  tipHeight,
  workFrom,
} from '@assay/node/bitcoin/header-branch';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { sharedPath } from '../../core/fixture/fixture.ts';
import { mined } from './mined-headers.ts';

const ALL = mined(20);
const FORK = mined(9, 1, ALL.slice(0, 12));
const whole = checkBranch(DEVELOPMENT, ALL, 0);

test('header branch: heights, ids, the newest, what two share', () => {
  assert.equal(tipHeight(whole), 20);
  assert.equal(idAt(whole, 21), undefined);
  assert.equal(idAt(whole, -1), undefined);
  const last = newest(whole, 5);
  assert.deepEqual([last.first, tipHeight(last), last.headers.length], [16, 20, 5]);
  assert.equal(idAt(last, 16), idAt(whole, 16));
  assert.equal(idAt(last, 15), undefined);
  assert.equal(newest(whole, 99), whole);
  const other = checkBranch(DEVELOPMENT, FORK, 0);
  assert.equal(lastCommon(whole, other), 11);
  assert.equal(lastCommon(newest(whole, 9), other), undefined);
  assert.equal(lastCommon(newest(whole, 10), other), 11);
  assert.equal(lastCommon(last, newest(whole, 10)), 20);
});

test('header branch: one follows on another', () => {
  const part = checkBranch(DEVELOPMENT, ALL.slice(8), 8);
  const again = joined(newest(checkBranch(DEVELOPMENT, ALL.slice(0, 10), 0), 6), 7, part);
  assert.equal(again.first, 4);
  assert.deepEqual(again.ids, whole.ids.slice(4));
  assert.deepEqual(again.headers, whole.headers.slice(4));
});

test('header branch: work is counted from a height on', () => {
  assert.equal(workFrom(whole, 0), 42n);
  assert.equal(workFrom(whole, 20), 2n);
  assert.equal(workFrom(whole, 21), 0n);
  assert.equal(workFrom(newest(whole, 3), 0), 6n);
});

test('header branch: a broken link, no work, another network', () => {
  const broken = [...ALL.slice(0, 7), ...ALL.slice(8)];
  assert.throws(() => checkBranch(DEVELOPMENT, broken, 0), { code: 'bad_header' });
  const lazy = { ...parseHeader(ALL[9] as Uint8Array) };
  while (meetsTarget(headerHash(nodeSha256, formatHeader(lazy)), lazy.bits)) lazy.nonce += 1;
  const headers = [...ALL.slice(0, 9), formatHeader(lazy)];
  assert.throws(() => checkBranch(DEVELOPMENT, headers, 0), { code: 'bad_header' });
  for (const height of [0, 5, 832_608, 900_000]) {
    const check = () => checkBranch(BITCOIN, ALL.slice(5), height);
    assert.throws(check, { code: 'bad_header' }, String(height));
  }
  assert.throws(() => checkBranch(DEVELOPMENT, [], 0), { code: 'bad_header' });
});

test('header branch: after the table no header is easier than a quarter of those held', () => {
  const easy: BitcoinNetwork = { ...DEVELOPMENT, retargets: true };
  const headers = mined(12).slice(1);
  assert.equal(bitsOf(headers[0] as Uint8Array), 0x207fffff);
  // 2017 first: no table of the main chain is asked about a height that it does not know.
  const check = (near: number) => checkBranch(easy, headers, 840_000, near);
  assert.equal(check(0x207fffff).headers.length, 12);
  assert.equal(check(0x20200000).headers.length, 12);
  assert.throws(() => check(0x201fffff), { code: 'bad_header', at: 'height 840000' });
  assert.throws(() => checkBranch(easy, headers, 840_000), { code: 'bad_header' });
});

const REAL = sharedPath('data/bitcoin/headers-822527-830592.bin.gz');
test(
  'header branch: the main chain',
  { skip: REAL === undefined && 'the recorded headers are not here' },
  () => {
    const bytes = gunzipSync(readFileSync(REAL as string));
    const headers = Array.from({ length: 2100 }, (_, i) =>
      Uint8Array.from(bytes.subarray(80 * i, 80 * i + 80)),
    );
    assert.equal(tipHeight(checkBranch(BITCOIN, headers, 822_527)), 824_626);
    assert.throws(() => checkBranch(BITCOIN, headers, 822_528), { code: 'bad_header' });
  },
);
