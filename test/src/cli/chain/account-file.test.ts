import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AccountFile,
  type FileAccount,
  type FileFeeds,
  formatAccountFile,
  parseAccountFile,
} from '@assay/cli/chain/account-file';
import type { HashHex } from '@assay/core/hash/hash';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import fc from 'fast-check';

const A = '11111111111111111111111111111111';
const B = 'AssayFeed1111111111111111111111111111111111';
const CHAIN = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';

const FILE: AccountFile = {
  chain: CHAIN,
  slot: 7,
  accounts: [
    { address: A, owner: B, slot: 7, data: Uint8Array.of() },
    { address: B, owner: A, slot: 9, data: Uint8Array.of(1, 2, 255) },
  ],
  feeds: {
    program: B,
    genesis: 'ab'.repeat(32) as HashHex,
    incomplete: 'the node refused',
    accounts: [{ address: A, owner: B, slot: 8, data: Uint8Array.of(7) }],
  },
};

const TEXT =
  `{"accounts":[{"address":"${A}","data":"","owner":"${B}","slot":7},` +
  `{"address":"${B}","data":"AQL/","owner":"${A}","slot":9}],` +
  `"chain":"${CHAIN}","feeds":{"accounts":[{"address":"${A}","data":"Bw==","owner":"${B}","slot":8}],` +
  `"genesis":"${'ab'.repeat(32)}","incomplete":"the node refused","program":"${B}"},` +
  `"slot":7,"type":"assay-accounts/1"}`;

test('account file: its bytes', () => {
  assert.equal(parseUtf8(formatAccountFile(FILE)), TEXT);
  assert.deepEqual(parseAccountFile(formatUtf8(TEXT)), FILE);
  const unlisted = { ...FILE, feeds: null };
  assert.deepEqual(parseAccountFile(formatAccountFile(unlisted)), unlisted);
});

test('account file: what is written is what is read', () => {
  const address = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  const slots = fc.tuple(fc.nat(), fc.nat());
  const account = fc.record({ address, owner: address, data: fc.uint8Array({ maxLength: 300 }) });
  const accounts = fc.uniqueArray(account, { selector: (each) => each.address, maxLength: 8 });
  fc.assert(
    fc.property(slots, accounts, ([slot, later], list) => {
      const sorted: FileAccount[] = list
        .map((each) => ({ ...each, slot: slot + later }))
        .toSorted((a, b) => (a.address < b.address ? -1 : 1));
      const file = { chain: CHAIN, slot, accounts: sorted, feeds: null };
      assert.deepEqual(parseAccountFile(formatAccountFile(file)), file);
    }),
  );
});

function listed(change: Partial<FileFeeds>): FileFeeds {
  return { ...(FILE.feeds as FileFeeds), ...change };
}

test('account file: what is refused', () => {
  const [first, second] = FILE.accounts as [FileAccount, FileAccount];
  const bad: readonly (readonly [AccountFile, string])[] = [
    [{ ...FILE, accounts: [second, first] }, 'accounts[1].address'],
    [{ ...FILE, accounts: [first, first] }, 'accounts[1].address'],
    // An account that was read before the slot from which everything is known.
    [{ ...FILE, slot: 8 }, 'accounts[0].slot'],
    [{ ...FILE, chain: 'solana' }, 'accounts file.chain'],
    [{ ...FILE, feeds: listed({ accounts: [second, first] }) }, 'feeds.accounts[1].address'],
    [{ ...FILE, feeds: listed({ accounts: [{ ...first, slot: 6 }] }) }, 'feeds.accounts[0].slot'],
    [{ ...FILE, feeds: listed({ incomplete: '' }) }, 'accounts file.feeds.incomplete'],
    [{ ...FILE, feeds: listed({ program: 'x' }) }, 'accounts file.feeds.program'],
    [
      { ...FILE, accounts: [{ ...first, owner: 'l'.repeat(32) }] },
      'accounts file.accounts[0].owner',
    ],
  ];
  for (const [file, at] of bad) {
    assert.throws(() => formatAccountFile(file), { code: 'malformed', at });
  }
  const malformed = { code: 'malformed' };
  for (const [from, to] of [
    ['AQL/', 'AQL='],
    ['accounts/1', 'accounts/2'],
    ['"slot":9', '"slot":-9'],
  ] as const) {
    assert.throws(() => parseAccountFile(formatUtf8(TEXT.replace(from, to))), malformed);
  }
  assert.throws(() => parseAccountFile(formatUtf8(` ${TEXT}`)), { code: 'not_canonical' });
});
