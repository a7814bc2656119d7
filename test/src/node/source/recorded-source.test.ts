import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedSource } from '@assay/node/source/recorded-source';
import type { SourceAnswer } from '@assay/node/source/source';
import { onePage, request, sourceSuite } from './source-suite.ts';

const BASE = 'https://source.example';

sourceSuite('recordedSource', async (_, said) => {
  const recordings = said.map(({ method, path, body, page }) => ({
    request: { method, url: `${BASE}${path}`, body },
    from: 0,
    answer: { kind: 'pages', pages: [page] } as const,
  }));
  return { base: BASE, source: recordedSource(recordings, () => 1) };
});

function says(text: string): SourceAnswer {
  const bytes = new TextEncoder().encode(text);
  return { kind: 'pages', pages: [{ status: 200, contentType: null, bytes }] };
}

test('recordedSource: the newest recording that is not in the future', async () => {
  let time = 0;
  const asked = { method: 'GET', url: BASE, body: null } as const;
  const lost: SourceAnswer = { kind: 'failed', reason: 'unreachable', detail: 'ECONNRESET' };
  const source = recordedSource(
    [
      { request: asked, from: 300, answer: says('third') },
      { request: asked, from: 100, answer: says('first') },
      { request: asked, from: 200, answer: lost },
    ],
    () => time,
  );
  const seen: unknown[] = [];
  for (time of [99, 100, 199, 200, 299, 300, 9999]) {
    const answer = await source.read(request(BASE));
    seen.push(
      answer.kind === 'failed' ? answer.reason : Buffer.from(onePage(answer).bytes).toString(),
    );
  }
  assert.deepEqual(seen, ['', 'first', 'first', 'unreachable', 'unreachable', 'third', 'third']);
});

test('recordedSource: two recordings of one time are a mistake', () => {
  const one = { request: request(BASE), from: 5, answer: says('a') };
  assert.throws(() => recordedSource([one, one], () => 0), TypeError);
});
