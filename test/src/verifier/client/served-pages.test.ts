import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { open, type PageQuery, type ServedList } from '@assay/verifier';
import { sampleLog } from '../fixture/sample-log.ts';
import { responseOf, URL_OF_LOG } from '../fixture/served-log.ts';

const { checkpoints } = await sampleLog();

/** The rows of a list from a server that answers each address with the next of these, and the addresses. */
async function rowsOf(
  answers: readonly unknown[],
  list: ServedList = 'receipts',
  query: PageQuery = {},
  status = 200,
): Promise<{ readonly rows: readonly unknown[]; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const fetch = (url: string): Promise<ReturnType<typeof responseOf>> => {
    asked.push(url.slice(URL_OF_LOG.length));
    const bytes = new TextEncoder().encode(JSON.stringify(answers[asked.length - 1]));
    return Promise.resolve(responseOf(status, [bytes]));
  };
  const client = await open(URL_OF_LOG, { key: checkpoints.vkey, fetch });
  const rows: unknown[] = [];
  for await (const row of client.served(list, query)) rows.push(row);
  return { rows, asked };
}

test('served pages: each page is asked for by the cursor of the one before, with the same restrictions', async () => {
  const pages = [
    { events: [1, 2], next_cursor: 'a_-' },
    { events: [], next_cursor: 'b' },
    { events: [3], next_cursor: null },
  ];
  const query = { symbol: 'ETH', from: '2026-01-01', limit: 2 };
  const { rows, asked } = await rowsOf(pages, 'receipts', query);
  assert.deepEqual(rows, [1, 2, 3]);
  const rest = '&symbol=ETH&from=2026-01-01&limit=2';
  assert.deepEqual(asked, [
    `/receipts?cursor=${rest}`,
    `/receipts?cursor=a_-${rest}`,
    `/receipts?cursor=b${rest}`,
  ]);
  const periods = await rowsOf([{ periods: [1], next_cursor: null }], 'periods', { index: 'a/b' });
  assert.deepEqual(periods.asked, ['/indices/a%2Fb/periods?cursor=']);
});

test('served pages: an answer that is no page, and a list that goes round, are refused', async () => {
  const code = async (...args: Parameters<typeof rowsOf>): Promise<unknown> =>
    rowsOf(...args).then(
      () => 'rows',
      (error: unknown) => faultCode(error),
    );
  assert.equal(await code([{ rows: [] }]), 'malformed');
  assert.equal(await code(['text']), 'malformed');
  assert.equal(await code([{ events: [], next_cursor: 7 }]), 'malformed');
  assert.equal(await code([{ events: [], next_cursor: '' }]), 'malformed');
  const round = [
    { events: [1], next_cursor: 'a' },
    { events: [2], next_cursor: 'b' },
    { events: [1], next_cursor: 'a' },
  ];
  assert.equal(await code(round), 'malformed');
  assert.equal(await code([{ detail: 'no' }], 'receipts', {}, 400), 'refused');
  assert.equal(await code([{}], 'receipts', {}, 503), 'unreachable');
  assert.equal(await code([{}], 'periods', {}), 'malformed');
  assert.equal(await code([{}], 'rounds', { index: 'LAYOFFS' }), 'malformed');
});
