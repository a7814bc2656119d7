import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPage, NOT_FOUND } from '@assay/node/dev/site/site';
import { duneSite, solanaSite } from '@assay/node/dev/site/solana-site';
import { readAt, ruleOf, said } from '../network.ts';

test('solana site: both operators and the mirror count the same, and not what failed', async () => {
  // Written down once: a demo that is started again must not change its past.
  for (const [name, day, after, count] of [
    ['MINTS', '2026-07-29', '2026-07-30', 12],
    ['MINTS', '2026-07-30', '2026-07-31', 15],
    ['TRENCHES', '2026-07-30', '2026-07-31', 2],
  ] as const) {
    const expected = ['rpc-1', 'rpc-2', 'dune'].map((id) => `${id} ok ${count}`);
    assert.deepEqual(await said(name, 1, day, `${after}T02:00:00Z`), expected);
    assert.deepEqual(
      (await said(name, 1, day, `${after}T22:00:00Z`)).slice(0, 2),
      expected.slice(0, 2),
    );
  }
});

test('solana site: a list in pages back to before the day; a day that is not over is not there', async () => {
  const late = await readAt(ruleOf('MINTS', 1), '2026-07-28', '2026-07-31T02:00:00Z');
  assert.ok((late[0]?.pages.length ?? 0) > 1, 'more than a page');
  assert.equal(late[0]?.read.outcome, 'ok');
  const text = JSON.parse(Buffer.from(late[0]?.text ?? []).toString()) as {
    transactions: unknown[];
    instructions: { data: string }[];
  };
  const kinds = new Set(text.instructions.map(({ data }) => data.slice(0, 16)));
  assert.deepEqual([...kinds].sort(), ['', '181ec828051c0777', 'd6904cec5f8b31b4']);
  const counted = text.instructions.filter(({ data }) => data !== '').length;
  assert.equal(`${counted}`, late[0]?.read.value);
  const early = await said('MINTS', 1, '2026-07-30', '2026-07-30T12:00:00Z');
  assert.deepEqual(early, ['rpc-1 not_published', 'rpc-2 not_published', 'dune not_published']);
});

test('solana site: what is not known is not there', () => {
  const { request } = ruleOf('MINTS', 1).providers[0] as never as { request: { body: string } };
  const ask = (body: object): unknown =>
    solanaSite()(
      { ...(request as never as object), body: JSON.stringify(body) } as never,
      1_785_000_000,
    );
  const unknown = { id: 1, method: 'getTransaction', params: ['abc', {}] };
  assert.deepEqual(ask(unknown), jsonPage({ jsonrpc: '2.0', id: 1, result: null }));
  const elsewhere = { id: 1, method: 'getSignaturesForAddress', params: ['abc', {}] };
  assert.deepEqual(ask(elsewhere), jsonPage({ jsonrpc: '2.0', id: 1, result: [] }));
  const query = { url: 'https://a.invalid/api/v1/query/1/results' } as never;
  assert.equal(duneSite(query, 1_785_000_000), NOT_FOUND);
});
