import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { fillRequest } from '@assay/core/rule/fill';
import { parseDate } from '@assay/core/time/time';
import type { Source, SourceAnswer } from '@assay/node/source/source';
import { type MadeText, makeText } from '@assay/node/source/text';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import { DOL_PRESS, SOLANA_MINTS } from './real-providers.ts';
import { DAY, SOLANA, solanaTransaction } from './recorded-shapes.ts';
import { pressRelease } from './small-pdf.ts';

const RULE: Rule = {
  ...CLAIMS_RULE,
  period: 'utc_day',
  release: { ...CLAIMS_RULE.release, exceptions: [] },
};
const PERIOD = parseDate(DAY);

function answer(value: unknown, status = 200): Extract<SourceAnswer, { kind: 'pages' }> {
  const bytes = value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
  return { kind: 'pages', pages: [{ status, contentType: null, bytes }] };
}

const LIST = answer({ jsonrpc: '2.0', id: 1, result: SOLANA });

function make(
  source: Source,
  listed: SourceAnswer = LIST,
  provider: Provider = SOLANA_MINTS,
  signal?: AbortSignal,
): Promise<MadeText> {
  assert.equal(listed.kind, 'pages');
  const pages = listed.kind === 'pages' ? listed.pages : [];
  const request = fillRequest(provider.request, PERIOD, RULE);
  return makeText(RULE, provider, request, pages, PERIOD, {
    source,
    signal,
    sleep: () => Promise.resolve(),
  });
}

function whole(body: string | null): SourceAnswer {
  const at = SOLANA.findIndex(({ signature }) => body?.includes(signature));
  return answer({ jsonrpc: '2.0', id: 1, result: solanaTransaction(at) });
}

test('text: none where the rule reads pages, and where the pages are no whole answer', async () => {
  const source: Source = { read: () => assert.fail('nothing is asked') };
  const pdf = answer(pressRelease('196,000', '206,000'));
  assert.equal((await make(source, pdf, { ...DOL_PRESS, text: 'none' })).kind, 'none');
  assert.equal((await make(source, answer(new Uint8Array(9)), DOL_PRESS)).kind, 'none');
  assert.equal((await make(source, answer({}, 503), DOL_PRESS)).kind, 'none');
  const half = answer({ jsonrpc: '2.0', id: 1, result: SOLANA.slice(0, 4) });
  assert.equal((await make(source, half)).kind, 'none');
  assert.equal((await make(source, pdf, DOL_PRESS)).kind, 'text');
});

test('text: a few transactions at once, by the request that listed them', async () => {
  let underWay = 0;
  let most = 0;
  const bodies: string[] = [];
  const made = await make({
    async read(request) {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      underWay -= 1;
      assert.equal(request.url, SOLANA_MINTS.request.url, 'its secret is not filled in');
      assert.deepEqual(request.paging, { kind: 'none' });
      bodies.push(request.body ?? '');
      return whole(request.body);
    },
  });
  assert.equal(made.kind, 'text');
  assert.equal(bodies.length, 7);
  assert.ok(most > 1 && most <= 8, `${most} at once`);
  const [first] = bodies.toSorted();
  assert.match(
    first ?? '',
    /^\{"jsonrpc":"2.0","id":1,"method":"getTransaction","params":\["[1-9A-Za-z]+",\{"encoding":"json","maxSupportedTransactionVersion":0,"commitment":"finalized"\}\]\}$/,
  );
});

test('text: one transaction that does not come ends the others', async () => {
  let asked = 0;
  const made = await make({
    async read() {
      asked += 1;
      return { kind: 'failed', reason: 'redirect_refused', detail: 'elsewhere' };
    },
  });
  assert.deepEqual(made, { kind: 'failed', reason: 'redirect_refused', detail: 'elsewhere' });
  assert.ok(asked <= 8);
});

test('text: it has the time of a whole read', async () => {
  const hanging = (readMs?: number): Source => ({
    ...(readMs === undefined ? {} : { readMs }),
    read: (_, options) =>
      new Promise((_resolve, reject) => {
        options?.signal?.addEventListener('abort', () => {
          reject(options.signal?.reason as Error);
        });
      }),
  });
  assert.deepEqual(await make(hanging(40)), {
    kind: 'failed',
    reason: 'timeout',
    detail: 'no whole text within 40 ms',
  });
  const reason = new Error('the node stops');
  const caller = new AbortController();
  setTimeout(() => {
    caller.abort(reason);
  }, 20);
  await assert.rejects(make(hanging(), LIST, SOLANA_MINTS, caller.signal), reason);
});

test('text: one that repeats a secret of its request is not kept', async () => {
  const asked: string[] = [];
  const source = (from: (body: string | null) => SourceAnswer): Source => ({
    read: async ({ body }) => from(body),
    repeated: (request, bytes) => {
      asked.push(request.url);
      return Buffer.from(bytes).includes('196,000') || Buffer.from(bytes).includes('slot')
        ? 'KEY'
        : undefined;
    },
  });
  const detail = 'the text repeats secret KEY';
  const failed = { kind: 'failed', reason: 'unreachable', detail };
  const pdf = answer(pressRelease('196,000', '206,000'));
  assert.deepEqual(
    await make(
      source(() => pdf),
      pdf,
      DOL_PRESS,
    ),
    failed,
  );
  assert.deepEqual(await make(source(whole)), failed);
  assert.equal(asked.length, 2);
  const other = answer(pressRelease('197,000', '206,000'));
  assert.equal(
    (
      await make(
        source(() => other),
        other,
        DOL_PRESS,
      )
    ).kind,
    'text',
  );
});
