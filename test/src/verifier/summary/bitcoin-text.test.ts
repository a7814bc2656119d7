import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bitcoinText,
  blockWarning,
  headersText,
  shortWork,
  uncoveredText,
  windowText,
} from '@assay/verifier/summary/bitcoin-text';
import type { BitcoinFacts, BitcoinTrust, BlockFacts } from '@assay/verifier/verdict/verdict';

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

test('each trust level as text that cannot be taken for another', () => {
  const rows: readonly (readonly [BitcoinTrust, boolean, string])[] = [
    ['headers', true, 'by headers checked from the genesis block, tip 960000 of 2026-11-20'],
    ['work', true, 'by work: 7 blocks worth 2.2e24 hashes, priced by the shipped table'],
    [
      'explorer',
      false,
      'NOT PROVEN: according to an explorer alone (headers checked from the genesis block)',
    ],
    [
      'none',
      false,
      "not proven to be Bitcoin's: 7 blocks worth 2.2e24 hashes, and nothing prices them; give --headers",
    ],
  ];
  for (const [trust, proven, words] of rows) {
    assert.deepEqual(bitcoinText(facts(trust), 'log'), { words: `${held}${words}`, proven });
  }
});

test('development is never called Bitcoin, nor proven', () => {
  for (const trust of ['headers', 'work', 'explorer', 'none'] as const) {
    const { words, proven } = bitcoinText(facts(trust, { network: 'development' }), 'log');
    assert.match(words, /^development, not Bitcoin: its blocks prove nothing\. block 958204/);
    assert.equal(proven, false);
  }
});

test('nothing anchored: no block is named, and it is reported', () => {
  const none = facts('none', { anchored: null });
  const words = 'no block holds anything of this log';
  assert.deepEqual(bitcoinText(none, 'log'), { words, proven: false });
  const pending = facts('none', { anchored: null, pending_count: 1 });
  assert.equal(bitcoinText(pending, 'log').words, `${words} yet`);
  // A development log that stamps nothing has enough said of it.
  assert.equal(bitcoinText({ ...none, network: 'development' }, 'log').words, '');
});

test('a window: what is not proven says so at the block', () => {
  const window = {
    seq: 9,
    kind: 'report/1',
    after: block('none'),
    before: block('headers'),
    pending: null,
  };
  assert.deepEqual(windowText(window, facts('headers')), [
    'entry 9 (report/1) was written',
    "after block 958204 (2026-07-30T22:41:07Z), not proven to be Bitcoin's",
    'before block 958204 (2026-07-30T22:41:07Z)',
  ]);
  const word = windowText({ ...window, after: block('explorer') }, facts('explorer'));
  assert.match(word[1] ?? '', /, NOT PROVEN: according to an explorer alone$/);
  const open = {
    ...window,
    after: null,
    before: null,
    pending: 'no batch of stamps covers it yet',
  };
  assert.deepEqual(windowText(open, facts('headers')), [
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

const window = { seq: 9, kind: 'report/1', after: null, before: null, pending: 'pending' };

test('a bundle that no block holds says so first; the block that it names is shown apart', () => {
  const none = facts('none', { anchored: null, windows: [window] });
  const words = 'no block holds this report yet';
  assert.deepEqual(bitcoinText(none, 'bundle'), { words, proven: false });
  // That the beacon is proven says nothing of the report.
  const after = { ...none, windows: [{ ...window, after: block('headers') }] };
  assert.deepEqual(bitcoinText(after, 'bundle'), {
    words: `${words}. The block that it names: by headers checked from the genesis block, tip 960000 of 2026-11-20`,
    proven: false,
  });
  for (const each of [none, after, { ...after, network: 'development' } as const]) {
    assert.equal(blockWarning(each, 'bundle')?.code, 'no_block');
  }
});

test('what keeps the block of a bundle from being proven is a warning', () => {
  const shown = (trust: BitcoinTrust, network: BitcoinFacts['network'] = 'bitcoin') =>
    blockWarning(
      { ...facts(trust, { windows: [{ ...window, before: block(trust) }] }), network },
      'bundle',
    )?.text;
  assert.deepEqual(
    [shown('headers'), shown('work'), shown('none', 'development')],
    [undefined, undefined, undefined],
  );
  assert.equal(
    shown('explorer'),
    'Block 958204, by which it is dated, is NOT PROVEN: according to an explorer alone.',
  );
  assert.equal(shown('none'), "Block 958204, by which it is dated, is not proven to be Bitcoin's.");
});

test('why headers do not vouch for a block is shown at that block', () => {
  const doubt = 'recent: 2 of 6 headers follow';
  const work = { ...block('work'), doubt };
  const none = { ...block('none'), doubt };
  const row = (anchored: BlockFacts) =>
    bitcoinText(facts('none', { anchored: { size: 28, ...anchored } }), 'log');
  assert.equal(
    row(work).words.endsWith('priced by the shipped table; recent: 2 of 6 headers follow'),
    true,
  );
  assert.equal(
    row(none).words,
    `${held}not proven to be Bitcoin's: 7 blocks worth 2.2e24 hashes, ${doubt}`,
  );
  const lines = windowText({ ...window, after: none, before: work }, facts('none'));
  assert.match(lines[1] ?? '', /, not proven to be Bitcoin's, recent: 2 of 6 headers follow$/);
  assert.match(lines[2] ?? '', /Z\), recent: 2 of 6 headers follow$/);
});

test('what the headers given are worth, and less than half of it', () => {
  const given = (work: { worth: number; of: number } | null) => {
    const source = { description: 'headers', height: 1, time: '2026-11-20T10:00:00Z', work };
    return headersText(facts('headers', { source }));
  };
  assert.deepEqual(given({ worth: 180_000, of: 140_000 }), {
    words: 'after the shipped table, worth 180000 of 140000 headers of its end',
    proven: true,
  });
  assert.deepEqual(given({ worth: 2016, of: 140_000 }), {
    words:
      'after the shipped table, worth 2016 of 140000 headers of its end: less than half, so that they vouch for no block there',
    proven: false,
  });
  assert.equal(given(null), undefined);
  assert.equal(given({ worth: 0, of: 0 }), undefined);
  assert.equal(headersText(facts('none', { source: null })), undefined);
});

test('the entries that no batch covers', () => {
  const words = (from: number, to: number, late: boolean, change: Partial<BitcoinFacts> = {}) =>
    uncoveredText(facts('none', { uncovered: { from, to, late }, ...change }));
  assert.deepEqual(words(4, 507, true), {
    words: 'entries 4 to 506 are in no batch; one has waited for over two hours',
    proven: false,
  });
  assert.deepEqual(words(4, 5, false), { words: 'entry 4 is in no batch', proven: true });
  assert.equal(words(0, 5, true)?.words, 'entries 0 to 4 are in no batch');
  // A development log that stamps nothing has enough said of it.
  assert.equal(words(0, 5, true, { network: 'development' }), undefined);
  assert.equal(words(3, 5, true, { network: 'development' })?.proven, false);
  assert.equal(uncoveredText(facts('none')), undefined);
});
