import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import {
  AFTER_TABLE,
  firstHeight,
  isFirstPart,
  readHeadersFile,
  workAfterTable,
} from '@assay/cli/headers/headers-file';
import { tableWork } from '@assay/core/bitcoin/epochs';
import type { HeaderChain } from '@assay/cli/headers/header-checker';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { scratch } from '../fixture/run.ts';

/** A header that follows on the shipped table; only what it links to counts here. */
const AFTER = new Uint8Array(80);
AFTER.set(LAST_EPOCH.hash, 4);

test('the height of a first header is known by what it is', () => {
  assert.equal(firstHeight(BITCOIN.genesis, BITCOIN), 0);
  assert.equal(firstHeight(DEVELOPMENT.genesis, DEVELOPMENT), 0);
  assert.equal(firstHeight(AFTER, BITCOIN), 832_608);
  assert.equal(AFTER_TABLE, 832_608);
  assert.throws(() => firstHeight(AFTER, DEVELOPMENT), { code: 'bad_header', found: 'another' });
  assert.throws(() => firstHeight(DEVELOPMENT.genesis, BITCOIN), {
    code: 'bad_header',
    found: 'that of development',
  });
});

test('a torn first header is known, and something else is not taken for one', () => {
  for (const length of [0, 1, 4, 5, 40, 79]) {
    assert.equal(isFirstPart(BITCOIN.genesis.subarray(0, length), BITCOIN), true);
  }
  assert.equal(isFirstPart(AFTER.subarray(0, 20), BITCOIN), true);
  assert.equal(isFirstPart(AFTER.subarray(0, 20), DEVELOPMENT), false);
  for (const length of [1, 4, 5, 79]) {
    assert.equal(isFirstPart(new Uint8Array(length).fill(0x78), BITCOIN), false);
  }
});

test('more headers than a page, with progress to the end', async (t) => {
  const chain = new DevelopmentChain({ blockSeconds: 1 });
  chain.advance(1_767_225_600);
  chain.advance(1_767_225_600 + 4099);
  const headers = Array.from({ length: 4101 }, (_, i) => chain.block(i)?.header as Uint8Array);
  const path = join(await scratch(t), 'headers.bin');
  await writeFile(path, Buffer.concat(headers));
  const told: [number, number][] = [];
  const read = await readHeadersFile(path, DEVELOPMENT, {
    now: chain.tip.time,
    progress: (done, total) => told.push([done, total]),
  });
  assert.deepEqual([read.first, read.count, read.tip.id], [0, 4101, chain.tip.id]);
  assert.deepEqual(read.header(4100), chain.tip.header);
  assert.deepEqual(told, [
    [2016, 4101],
    [4032, 4101],
    [4101, 4101],
  ]);
});

test('the work after the shipped table: of a chain from genesis, and of one from there', () => {
  const chain = (first: number, height: number, work: bigint): HeaderChain => ({
    network: BITCOIN,
    first,
    count: height - first + 1,
    work,
    tip: { height, id: '' as never, time: 0 },
    header: () => undefined,
  });
  const top = AFTER_TABLE + 9;
  assert.deepEqual(workAfterTable(chain(AFTER_TABLE, top, 77n)), { count: 10, hashes: 77n });
  const whole = chain(0, top, tableWork() + 77n);
  assert.deepEqual(workAfterTable(whole), { count: 10, hashes: 77n });
  assert.equal(workAfterTable(chain(0, 1000, 77n)), null);
  assert.equal(workAfterTable({ ...whole, network: DEVELOPMENT }), null);
});
