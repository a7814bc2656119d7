import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { BITCOIN, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type BlockRules, checkBlock } from '@assay/verifier/bitcoin/block-check';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import { NotCheckedList } from '@assay/verifier/verdict/verdict';
import { sharedPath } from '../../core/fixture/fixture.ts';
import { minedRun } from '../fixture/mined-run.ts';

const BITCOIN_RULES: BlockRules = { sha256: nodeSha256, network: BITCOIN, lookup: undefined };
const RULES: BlockRules = { ...BITCOIN_RULES, network: DEVELOPMENT };
const FIRST = 822_527;

const path = sharedPath('data/bitcoin/headers-822527-830592.bin.gz');
const recorded = path === undefined ? undefined : gunzipSync(readFileSync(path));

function lookup(header: Uint8Array | undefined, change: Partial<HeaderLookup> = {}): HeaderLookup {
  return {
    kind: 'headers',
    network: 'development',
    first: 0,
    work: null,
    tip: { height: 100, time: 1_785_000_000 },
    header: () => Promise.resolve(header),
    description: 'headers checked from the genesis block',
    ...change,
  };
}

test(
  'a real block and six more: worth what the table says they cost',
  { skip: recorded === undefined },
  async () => {
    const height = 825_000;
    const at = (height - FIRST) * 80;
    const run = new Uint8Array(recorded?.subarray(at, at + 560) ?? []);
    const { facts } = await checkBlock(height, run, BITCOIN_RULES, new NotCheckedList());
    assert.equal(facts.trust, 'work');
    assert.equal(facts.headers, 7);
    // Seven blocks at a difficulty of 73.2 * 10^12, a unit of which is 2^32 hashes.
    assert.equal(facts.work, '2200703695502344611322639');
    assert.match(facts.block, /^0{19}/);
    // The same bytes at another epoch's height have not its bits.
    await assert.rejects(checkBlock(700_000, run, BITCOIN_RULES, new NotCheckedList()), {
      code: 'bad_header',
    });
    await assert.rejects(checkBlock(height, run, RULES, new NotCheckedList()), {
      code: 'bad_header',
    });
  },
);

test('what was hard in the first years vouches for nothing', async () => {
  const { facts } = await checkBlock(0, BITCOIN.genesis, BITCOIN_RULES, new NotCheckedList());
  assert.equal(facts.trust, 'none');
  assert.equal(facts.work, '4295032833');
});

test('development headers are none of Bitcoin, at any height', async () => {
  const run = minedRun(new Uint8Array(32));
  for (const height of [1, 100_000, 832_607, 832_608, 900_000, 4_000_000]) {
    await assert.rejects(checkBlock(height, run, BITCOIN_RULES, new NotCheckedList()), {
      code: 'bad_header',
    });
  }
  const { facts } = await checkBlock(900_000, run, RULES, new NotCheckedList());
  assert.deepEqual([facts.trust, facts.headers, facts.work], ['work', 7, '14']);
});

test('headers given: the same vouch, others differ, and where they end is reported', async () => {
  const run = minedRun(new Uint8Array(32));
  const header = run.slice(0, 80);
  const checked = async (given: HeaderLookup, height = 50) => {
    const notChecked = new NotCheckedList();
    const rules = { ...RULES, lookup: given };
    const { facts, differs } = await checkBlock(height, run, rules, notChecked);
    return { trust: facts.trust, differs, said: notChecked.list.map(({ why }) => why).join() };
  };
  assert.deepEqual(await checked(lookup(header)), {
    trust: 'headers',
    differs: undefined,
    said: '',
  });
  assert.equal((await checked(lookup(header, { kind: 'explorer' }))).trust, 'explorer');
  const other = await checked(lookup(run.slice(80, 160)));
  assert.equal(other.trust, 'work');
  assert.equal(other.differs === undefined, false);
  const above = await checked(lookup(header), 101);
  assert.deepEqual([above.trust, above.differs], ['work', undefined]);
  assert.match(above.said, /end at height 100/);
  assert.match((await checked(lookup(undefined))).said, /begin after/);
});

test('a block that fewer than six headers follow is not vouched for yet, and says so', async () => {
  const run = minedRun(new Uint8Array(32));
  const given = lookup(run.slice(0, 80));
  for (const [height, trust, doubt] of [
    [94, 'headers', null],
    [95, 'work', 'recent: 5 of 6 headers follow'],
    [100, 'work', 'recent: 0 of 6 headers follow'],
  ] as const) {
    const rules = { ...RULES, lookup: given };
    const { facts, differs } = await checkBlock(height, run, rules, new NotCheckedList());
    assert.deepEqual([facts.trust, facts.doubt, differs], [trust, doubt, undefined]);
  }
});
