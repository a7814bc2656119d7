import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { faultCode } from '@assay/core/fault';
import type { PageBytes } from '@assay/core/read/reading';
import { parseDate } from '@assay/core/time/time';
import { runReading } from '@assay/node/source/reading-thread';
import { CLAIMS_RULE, RECORD } from '../fixture/round-fixture.ts';

const WEEK = parseDate('2026-07-25');
const CSV = 'week_ending,claims\n2026-07-18,188000\n2026-07-25,197000\n';
const IN_THREAD = { passes: 1, atOnce: 0 };
const AT_ONCE = { passes: 1, atOnce: Number.POSITIVE_INFINITY };

function answer(text: string, status = 200): readonly PageBytes[] {
  return [{ status, bytes: new TextEncoder().encode(text) }];
}

/** How often the event loop of this thread went round until `work` was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  const state = { turns: 0, isDone: false };
  const done = work.finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) {
    await turn();
    state.turns += 1;
  }
  await done;
  return state.turns;
}

test('reading thread: what comes of it is the same as at once', async () => {
  for (const pages of [answer(CSV), answer('<html>'), answer(CSV, 404), answer('')]) {
    const given = [CLAIMS_RULE, RECORD, pages, WEEK, null] as const;
    const found = await runReading('answer', [...given], IN_THREAD);
    assert.deepEqual(found, await runReading('answer', [...given], AT_ONCE));
  }
  const { reading, series } = await runReading(
    'answer',
    [CLAIMS_RULE, RECORD, answer(CSV), WEEK, null],
    IN_THREAD,
  );
  assert.deepEqual(reading, { outcome: 'ok', value: 197_000n });
  assert.equal(series === undefined || series.get(WEEK) === 197_000n, true);
});

test('reading thread: lists and marks of pages, and those that say nothing', async () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const paging = {
    kind: 'cursor',
    ptr: '/next',
    place: 'query',
    name: 'c',
    max_pages: 9,
    until: null,
    total: null,
  } as const;
  for (const text of ['{"next":"a"}', '{"next":null}', '{', '{"next":[]}']) {
    const found = await runReading('mark', [paging, bytes(text)], IN_THREAD);
    assert.deepEqual(found, await runReading('mark', [paging, bytes(text)], AT_ONCE));
  }
  assert.deepEqual(await runReading('mark', [paging, bytes('{"next":"a"}')], IN_THREAD), {
    last: false,
    cursor: 'a',
  });
  const solana = { ...RECORD, text: 'solana_instructions' } as const;
  for (const provider of [RECORD, solana]) {
    const given = [CLAIMS_RULE, provider, [bytes(CSV)], WEEK] as const;
    const found = await runReading('listed', [...given], IN_THREAD);
    assert.deepEqual(found, await runReading('listed', [...given], AT_ONCE));
    assert.deepEqual(found, provider === RECORD ? [] : undefined);
  }
});

test('reading thread: this thread has its turns while a long page is read', async () => {
  const pages = answer(`week_ending,claims\n${'2026-07-25,197000\n'.repeat(100_000)}`);
  const read = runReading('answer', [CLAIMS_RULE, RECORD, pages, WEEK, null], { passes: 4 });
  // What is done at once gives no turn but the one that follows it.
  assert.ok((await turnsDuring(read)) > 20);
});

test('reading thread: a reading ends with its signal, also one that waits for another', async () => {
  const pages = answer(`week_ending,claims\n${'2026-07-25,197000\n'.repeat(100_000)}`);
  const stop = new AbortController();
  const begin = (): Promise<unknown> =>
    runReading('answer', [CLAIMS_RULE, RECORD, pages, WEEK, null], {
      passes: 4,
      signal: stop.signal,
    });
  const [first, second] = [begin(), begin()];
  const ended = Promise.allSettled([first, second]);
  stop.abort(new Error('enough'));
  for (const each of await ended) {
    assert.equal(each.status, 'rejected');
    assert.match(String((each as PromiseRejectedResult).reason), /enough/);
  }
  const found = await runReading(
    'answer',
    [CLAIMS_RULE, RECORD, answer(CSV), WEEK, null],
    IN_THREAD,
  );
  assert.equal(found.reading.outcome, 'ok');
});

test('reading thread: what a thread has not the memory for is too large', async () => {
  const pages = answer(`week_ending,claims\n${'2026-07-25,197000\n'.repeat(100_000)}`);
  await assert.rejects(
    runReading('answer', [CLAIMS_RULE, RECORD, pages, WEEK, null], { passes: 4, heapMb: 8 }),
    (error) => faultCode(error) === 'too_large',
  );
});
