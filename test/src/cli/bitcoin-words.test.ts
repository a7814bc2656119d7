import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bitcoinWords, shortWork, windowWords } from '@assay/cli/bitcoin-words';
import type { BitcoinFacts, BitcoinTrust, BlockFacts } from '@assay/verifier/verdict';

function block(trust: BitcoinTrust): BlockFacts {
  return {
    height: 958_204,
    block: '00'.repeat(32),
    time: '2026-07-30T22:41:07Z',
    headers: 7,
    work: '2200703695502344611322639',
    trust,
    doubt: null,
  };
}

function facts(trust: BitcoinTrust, change: Partial<BitcoinFacts> = {}): BitcoinFacts {
  return {
    network: 'bitcoin',
    trust,
    source: {
      description: 'headers checked from the genesis block',
      height: 960_000,
      time: '2026-11-20T10:00:00Z',
      work: null,
    },
    anchored: { size: 28, ...block(trust) },
    newest_beacon: null,
    pending: [],
    pending_count: 0,
    uncovered: null,
    windows: [],
    ...change,
  };
}

const held = 'block 958204 (2026-07-30T22:41:07Z) holds entries 0 to 27; ';

test('each trust level in words that cannot be taken for another', () => {
  const rows: readonly (readonly [BitcoinTrust, boolean, string])[] = [
    ['headers', true, 'by headers checked from the genesis block, tip 960000 of 2026-11-20'],
    ['work', true, 'by work: 7 blocks worth 2.2e24 hashes, priced by the shipped table'],
    ['explorer', false, "by an explorer's word alone (headers checked from the genesis block)"],
    [
      'none',
      false,
      "not proven to be Bitcoin's: 7 blocks worth 2.2e24 hashes, and nothing prices them; give --headers",
    ],
  ];
  for (const [trust, proven, words] of rows) {
    assert.deepEqual(bitcoinWords(facts(trust), 'log'), { words: `${held}${words}`, proven });
  }
});

test('development is never called Bitcoin, nor proven', () => {
  for (const trust of ['headers', 'work', 'explorer', 'none'] as const) {
    const { words, proven } = bitcoinWords(facts(trust, { network: 'development' }), 'log');
    assert.match(words, /^development, not Bitcoin: its blocks prove nothing\. block 958204/);
    assert.equal(proven, false);
  }
});

test('nothing anchored: no block is named, and it is said', () => {
  const none = facts('none', { anchored: null });
  const words = 'no block holds anything of this log';
  assert.deepEqual(bitcoinWords(none, 'log'), { words, proven: false });
  const pending = facts('none', { anchored: null, pending_count: 1 });
  assert.equal(bitcoinWords(pending, 'log').words, `${words} yet`);
  // A development log that stamps nothing has enough said of it.
  assert.equal(bitcoinWords({ ...none, network: 'development' }, 'log').words, '');
});

test('a window: what is not proven says so at the block', () => {
  const window = {
    seq: 9,
    kind: 'report/1',
    after: block('none'),
    before: block('headers'),
    pending: null,
  };
  assert.deepEqual(windowWords(window, facts('headers')), [
    'entry 9 (report/1) was written',
    "after block 958204 (2026-07-30T22:41:07Z), not proven to be Bitcoin's",
    'before block 958204 (2026-07-30T22:41:07Z)',
  ]);
  const word = windowWords({ ...window, after: block('explorer') }, facts('explorer'));
  assert.match(word[1] ?? '', /, by an explorer's word alone$/);
  const open = {
    ...window,
    after: null,
    before: null,
    pending: 'no batch of stamps covers it yet',
  };
  assert.deepEqual(windowWords(open, facts('headers')), [
    'entry 9 (report/1) was written',
    'after no block that the log names',
    'before no block yet: no batch of stamps covers it yet',
  ]);
});

test('work in two digits and a power of ten', () => {
  assert.deepEqual(['14', '999999', '4295032833', '2200703695502344611322639'].map(shortWork), [
    '14',
    '999999',
    '4.2e9',
    '2.2e24',
  ]);
});
