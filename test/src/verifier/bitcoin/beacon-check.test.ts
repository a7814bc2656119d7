import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BITCOIN, type BitcoinNetwork, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { headerHash } from '@assay/core/bitcoin/header';
import { formatHex } from '@assay/core/bytes/hex';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type CheckedBeacon, checkBeacon } from '@assay/verifier/bitcoin/beacon-check';
import { NO_LIMIT } from '@assay/core/work-budget';
import { EvidenceReader } from '@assay/verifier/reader/blobs';
import { Findings } from '@assay/verifier/verdict/finding';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import { anchoredLog, lookupOf } from '../fixture/anchored-log.ts';
import { mine } from '../fixture/mined-run.ts';
import { ENVIRONMENT } from '../fixture/published.ts';

const HEADER = mine(new Uint8Array(32), new Uint8Array(32));

async function checked(
  header: Uint8Array,
  network: BitcoinNetwork,
  lookup?: HeaderLookup,
): Promise<{
  readonly beacon: CheckedBeacon | undefined;
  readonly codes: readonly string[];
  readonly said: readonly string[];
}> {
  const findings = new Findings();
  const notChecked = new NotCheckedList();
  const tally = emptyTally();
  const read = (): Promise<undefined> => Promise.resolve(undefined);
  const evidence = new EvidenceReader(read, ENVIRONMENT, findings, tally, NO_LIMIT);
  const beacon = await checkBeacon(
    { height: 40, header: formatHex(header) },
    'entry 9',
    { sha256: nodeSha256, network, lookup },
    { findings, notChecked, tally, evidence, work: NO_LIMIT },
  );
  assert.equal(tally.beacons, 1);
  return {
    beacon,
    codes: findings.list.map(({ code }) => code),
    said: notChecked.list.map(({ what }) => what),
  };
}

test('a header with its work, by itself', async () => {
  const { beacon, codes, said } = await checked(HEADER, DEVELOPMENT);
  assert.deepEqual([beacon?.stale, beacon?.facts.headers, beacon?.facts.work], [false, 1, '2']);
  assert.deepEqual([codes, said], [[], []]);
});

test('a header without work, or of another network, is a finding', async () => {
  const lazy = mine(new Uint8Array(32), new Uint8Array(32), false);
  assert.deepEqual((await checked(lazy, DEVELOPMENT)).codes, ['beacon_invalid']);
  assert.deepEqual((await checked(HEADER, BITCOIN)).codes, ['beacon_invalid']);
});

test('a block that was mined in the place of one of the chain is stale: named, and no finding', async () => {
  const log = await anchoredLog();
  const parent = log.chain.block(39)?.header as Uint8Array;
  const lost = mine(headerHash(nodeSha256, parent), new Uint8Array(32));
  const { beacon, codes, said } = await checked(lost, DEVELOPMENT, lookupOf(log));
  assert.deepEqual([beacon?.stale, codes], [true, []]);
  assert.match(said.join(), /whether entry 9 named the newest block/);
  const there = log.chain.block(40)?.header as Uint8Array;
  assert.equal((await checked(there, DEVELOPMENT, lookupOf(log))).beacon?.facts.trust, 'headers');
});

test('a header that follows no block of the chain at that height is a finding', async () => {
  const log = await anchoredLog();
  const { beacon, codes } = await checked(HEADER, DEVELOPMENT, lookupOf(log));
  assert.deepEqual([beacon, codes], [undefined, ['header_differs']]);
  const other = log.chain.block(41)?.header as Uint8Array;
  assert.deepEqual((await checked(other, DEVELOPMENT, lookupOf(log))).codes, ['header_differs']);
});
