import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkSolanaText,
  formatSolanaText,
  listedTransactions,
  type SolanaInstruction,
} from '@assay/core/read/solana-text';
import { DAY_SECONDS, parseDate } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';

const DAY = parseDate('2026-10-08');
const FROM = DAY * DAY_SECONDS;
const sig = (mark: string): string => mark.repeat(64);

interface Row {
  readonly signature: string;
  readonly slot: number | null;
  readonly blockTime: number | null;
  readonly err: unknown;
}

function row(mark: string, slot: number, second: number, err: unknown = null): Row {
  return { signature: sig(mark), slot, blockTime: FROM + second, err };
}

const pagesOf = (...pages: readonly (readonly Row[])[]): Uint8Array[] =>
  pages.map((result) => formatUtf8(JSON.stringify({ jsonrpc: '2.0', id: 1, result })));

const AFTER = row('9', 90, DAY_SECONDS);
const BEFORE = row('1', 10, -1);
const PAGES = pagesOf(
  [AFTER, row('8', 80, DAY_SECONDS - 1), row('7', 70, 500, { InstructionError: [0, 'x'] })],
  [row('6', 60, 400), row('b', 60, 400), row('2', 20, 0), BEFORE],
);

test('solana text: what succeeded on the day, by slot and signature, once', () => {
  const listed = listedTransactions(PAGES, 'utc_day', DAY);
  assert.deepEqual(
    listed.map(({ signature, slot, block_time: time }) => [signature[0], slot, time - FROM]),
    [
      ['2', 20, 0],
      ['6', 60, 400],
      ['b', 60, 400],
      ['8', 80, DAY_SECONDS - 1],
    ],
  );
  const overlap = [...PAGES, ...pagesOf([BEFORE])];
  assert.deepEqual(listedTransactions(overlap, 'utc_day', DAY), listed);
});

test('solana text: a list that does not hold the whole day', () => {
  assert.throws(() => listedTransactions(pagesOf([row('8', 80, 99), BEFORE]), 'utc_day', DAY), {
    reason: 'not_published',
  });
  assert.throws(() => listedTransactions(pagesOf([]), 'utc_day', DAY), { reason: 'not_published' });
  const cut = pagesOf([AFTER, row('8', 80, 99)]);
  assert.throws(() => listedTransactions(cut, 'utc_day', DAY), { code: 'malformed' });
});

test('solana text: rows that are none', () => {
  const bad: readonly unknown[] = [
    { ...row('2', 20, 0), signature: 'O0Il' },
    { ...row('2', 20, 0), signature: `{secret:KEY}${sig('2')}` },
    { ...row('2', 20, 0), blockTime: null },
    { ...row('2', 20, 0), slot: -1 },
    7,
  ];
  for (const each of bad) {
    const pages = pagesOf([AFTER, each as Row, BEFORE]);
    assert.throws(
      () => listedTransactions(pages, 'utc_day', DAY),
      (error: { code?: string; reason?: string }) => (error.code ?? error.reason) === 'malformed',
      JSON.stringify(each),
    );
  }
  const error = formatUtf8('{"jsonrpc":"2.0","id":1,"error":{"code":-32005}}');
  assert.throws(() => listedTransactions([error], 'utc_day', DAY), { code: 'malformed' });
});

test('solana text: of exactly the transactions that are listed', () => {
  const transactions = listedTransactions(PAGES, 'utc_day', DAY);
  const program = 'P'.repeat(44);
  const instruction = (transaction: number): SolanaInstruction => ({
    transaction,
    program,
    data: '181ec828051c0777',
  });
  const check = (
    list: typeof transactions,
    instructions: readonly SolanaInstruction[] = [],
  ): void => {
    checkSolanaText(transactions, formatSolanaText({ transactions: list, instructions }));
  };
  check(transactions, [instruction(0), instruction(0), instruction(3)]);
  const [first, second, ...rest] = transactions;
  assert.ok(first !== undefined && second !== undefined);
  const broken: readonly (() => void)[] = [
    () => check(transactions.slice(1)),
    () => check([second, first, ...rest]),
    () => check([{ ...first, slot: 21 }, second, ...rest]),
    () => check([{ ...first, block_time: first.block_time + 1 }, second, ...rest]),
    () => check([...transactions, { ...first, slot: 99 }]),
    () => check(transactions, [instruction(4)]),
    () => check(transactions, [instruction(1), instruction(0)]),
    () => check(transactions, [{ ...instruction(0), data: '18'.repeat(9) }]),
    () => check(transactions, [{ ...instruction(0), data: '1' }]),
  ];
  for (const each of broken) assert.throws(each, { code: 'malformed' }, String(each));
  assert.throws(() => checkSolanaText(transactions, formatUtf8('{ }')), {
    code: 'not_canonical',
  });
});
