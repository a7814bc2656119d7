import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { HttpResponse } from '@assay/verifier/reader/http-reader';
import { type EventAnswer, type EventQuery, open, type OpenOptions } from '@assay/verifier';
import { chain, draftsOf, genesisLog, publish } from '../fixture/published.ts';
import { sampleLog } from '../fixture/sample-log.ts';
import { frameOf, memoryPin, responseOf, ServedLog, URL_OF_LOG } from '../fixture/served-log.ts';

const log = await sampleLog();
const of = (size: number): ReturnType<typeof publish> =>
  publish(log.entries.slice(0, size), log.blobs, log.checkpoints);
const small = of(20);
const KEY = log.checkpoints.vkey;

/** The answers of a stream, up to a refusal, the end, or so many. */
async function answersOf(
  server: ServedLog,
  query: EventQuery,
  count = Infinity,
  options: Partial<OpenOptions> = {},
): Promise<EventAnswer[]> {
  const client = await open(URL_OF_LOG, { key: KEY, fetch: server.fetch, ...options });
  const answers: EventAnswer[] = [];
  for await (const answer of client.events({ maxSilenceS: 2, ...query })) {
    answers.push(answer);
    if (answers.length === count) break;
  }
  return answers;
}

function seqsOf(answers: readonly EventAnswer[]): readonly (number | string)[] {
  return answers.map((each) => (each.ok ? each.seq : each.code));
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => from + i);

test('events: each entry comes once, in order, with its bytes', async () => {
  const answers = await answersOf(new ServedLog(small), { from: 0 }, 20);
  assert.deepEqual(seqsOf(answers), range(0, 20));
  for (const [seq, answer] of answers.entries()) {
    assert.ok(answer.ok);
    assert.deepEqual(answer.bytes, small.entries[seq]);
    assert.equal(answer.leafHash, hashHex(leafHash(nodeSha256, answer.bytes)));
    assert.equal(answer.entry.kind, answer.kind);
  }
});

test('events: without a place they begin with what is published next', async () => {
  const server = new ServedLog(small);
  const client = await open(URL_OF_LOG, { key: KEY, fetch: server.fetch });
  const events = client.events();
  server.endsAfter = 3;
  const first = events.next();
  // The head is pinned before the stream is asked for: it goes on from there, whatever was published meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 50));
  server.show(of(30));
  const seqs = [(await first).value as EventAnswer];
  while (seqs.length < 10) seqs.push((await events.next()).value as EventAnswer);
  await events.return?.();
  assert.deepEqual(seqsOf(seqs), range(20, 30));
  assert.equal(server.asked[0]?.get('from'), '20');
});

test('events: a connection that ends is followed by another, from the exact place', async () => {
  const server = new ServedLog(small);
  server.endsAfter = 6;
  server.refusals.push(new Error('reset'), responseOf(503, [], { 'retry-after': '0' }));
  const answers = await answersOf(server, { from: 0, maxSilenceS: 30 }, 20);
  assert.deepEqual(seqsOf(answers), range(0, 20));
  const [sixth] = answers.slice(5);
  assert.ok(sixth?.ok);
  assert.equal(server.asked[3]?.get('after'), sixth.id);
});

test('events: the client leaves out kinds by itself, and the server by names', async () => {
  const server = new ServedLog(small);
  const kinds = await answersOf(server, { from: 0, kinds: ['rule'] }, 1);
  assert.ok(kinds[0]?.ok && kinds[0].kind === 'rule/1');
  assert.equal(server.asked[0]?.get('kinds'), null);
  // Of the server's choice, gaps are no fault, and its places are taken.
  server.bend = (frame, seq) => (seq % 2 === 0 ? frame : '');
  server.tail = 'id: 19-0123456789abcdef\nevent: position\ndata: {"size":20}\n\n';
  server.endsAfter = 20;
  const named = { from: 0, tickers: ['LAYOFFS'], kinds: ['report', 'note'] };
  const some = await answersOf(server, named, 3);
  assert.ok(some.every((each) => each.ok && each.seq % 2 === 0));
  assert.equal(server.asked[1]?.get('tickers'), 'LAYOFFS');
  assert.equal(server.asked[1]?.get('kinds'), 'report,note');
  server.bend = () => '';
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 1500);
  await answersOf(server, { from: 0, symbols: ['ETH'], signal: stop.signal });
  assert.equal(server.asked.at(-1)?.get('after'), '19-0123456789abcdef');
});

test('events: an entry that is left out, repeated, changed or not in the log is refused', async () => {
  const bent = async (bend: ServedLog['bend']): Promise<readonly (number | string)[]> => {
    const server = new ServedLog(small);
    server.bend = bend;
    return seqsOf(await answersOf(server, { from: 0 }));
  };
  assert.deepEqual(await bent((frame, seq) => (seq === 3 ? '' : frame)), [
    0,
    1,
    2,
    'entry_missing',
  ]);
  assert.deepEqual(await bent((frame, seq) => (seq === 3 ? frame + frame : frame)), [
    ...range(0, 4),
    'entry_out_of_order',
  ]);
  const other = publish(
    chain(draftsOf(log.entries.slice(0, 20)).toSpliced(5, 1)),
    log.blobs,
    log.checkpoints,
  );
  const foreign = frameOf(other.entries[7] as Uint8Array);
  assert.deepEqual(await bent((frame, seq) => (seq === 7 ? foreign : frame)), [
    ...range(0, 7),
    'bad_proof',
  ]);
  const text = (frame: string, seq: number): string =>
    seq === 3 ? frame.replace(/(\\"at\\":\\"20)/, '$1 ') : frame;
  assert.deepEqual(await bent(text), [...range(0, 3), 'not_canonical']);
  assert.deepEqual(await bent((frame, seq) => (seq === 3 ? 'event: a/1\ndata: {}\n\n' : frame)), [
    ...range(0, 3),
    'malformed',
  ]);
  // Without names a place that passes over entries is none.
  const passing = new ServedLog(small);
  passing.bend = (frame, seq) =>
    seq === 3 ? 'id: 3-0123456789abcdef\nevent: position\ndata: {"size":20}\n\n' : frame;
  assert.deepEqual(seqsOf(await answersOf(passing, { from: 0 })), [0, 1, 2, 'entry_missing']);
});

test('events: an entry behind the newest head is refused', async () => {
  const server = new ServedLog(of(22));
  server.site.set('/checkpoint', { status: 200, body: small.checkpoint, logSize: undefined });
  for (const [path, answer] of new ServedLog(small).site) {
    if (!server.site.has(path)) server.site.set(path, answer);
  }
  const codes = seqsOf(await answersOf(server, { from: 18 }));
  assert.deepEqual(codes, [18, 19, 'not_found']);
});

test('events: a client of another history, or of a longer log, is refused', async () => {
  const storage = memoryPin();
  const [last] = (await answersOf(new ServedLog(small), { from: 19 }, 1, { storage })).slice(-1);
  assert.ok(last?.ok);
  const fork = publish(
    chain(draftsOf(log.entries.slice(0, 40)).toSpliced(5, 1)),
    log.blobs,
    log.checkpoints,
  );
  const after = { after: last.id };
  // By the pinned head, and without one by the id.
  assert.deepEqual(seqsOf(await answersOf(new ServedLog(fork), after, 1, { storage })), [
    'history_changed',
  ]);
  assert.deepEqual(seqsOf(await answersOf(new ServedLog(fork), after)), ['history_changed']);
  assert.deepEqual(seqsOf(await answersOf(new ServedLog(of(10)), after)), ['history_changed']);
  assert.deepEqual(seqsOf(await answersOf(new ServedLog(of(10)), after, 1, { storage })), [
    'log_shrunk',
  ]);
  assert.deepEqual(seqsOf(await answersOf(new ServedLog(small), { from: 21 })), ['out_of_range']);
  assert.deepEqual(seqsOf(await answersOf(new ServedLog(of(21)), after, 1, { storage })), [20]);
  // What the server itself refuses.
  const refusing = new ServedLog(small);
  const detail = new TextEncoder().encode('{"detail":"no such entry"}');
  refusing.refusals.push(responseOf(409, [detail]));
  const [refused] = await answersOf(refusing, { from: 3 });
  assert.ok(refused !== undefined && !refused.ok);
  assert.equal(refused.code, 'refused');
  assert.match(refused.why, /409: no such entry/);
});

test('events: silence ends them, and so does the caller', async () => {
  const server = new ServedLog(small);
  assert.deepEqual(seqsOf(await answersOf(server, { from: 18, maxSilenceS: 0.3 })), [
    18,
    19,
    'unreachable',
  ]);
  const away = new ServedLog(small);
  for (let i = 0; i < 200; i += 1) away.refusals.push(new Error('refused'));
  assert.deepEqual(seqsOf(await answersOf(away, { from: 18, maxSilenceS: 0.3 })), ['unreachable']);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 100);
  const ended = await answersOf(server, { from: 18, maxSilenceS: 60, signal: stop.signal });
  assert.deepEqual(seqsOf(ended), [18, 19]);
});

test('events: a production log whose newest entry is old is refused, also when it grows old on the way', async () => {
  const at = Date.parse('2026-01-01T00:00:00Z') / 1000;
  const old = genesisLog('index.example.org/log');
  const key = JSON.parse(new TextDecoder().decode(old.entries[0])).body.checkpoint_vkey as string;
  const from = { from: 0, maxSilenceS: 60 };
  const late = await answersOf(new ServedLog(old), from, 1, { key, now: () => at + 200_000 });
  assert.deepEqual(seqsOf(late), ['head_stale']);
  let now = at + 1000;
  const server = new ServedLog(old);
  server.tail = ': 1\n\n';
  const client = await open(URL_OF_LOG, { key, fetch: server.fetch, now: () => now });
  const events = client.events(from);
  assert.ok((await events.next()).value?.ok);
  now = at + 200_000;
  const next = (await events.next()).value as EventAnswer;
  assert.equal(next.ok ? '' : next.code, 'head_stale');
  assert.equal((await events.next()).done, true);
});

/** A body that sends this again and again, every 20 milliseconds, until it is cancelled. */
function dripping(text: string): { readonly response: HttpResponse; readonly left: () => boolean } {
  let isLeft = false;
  const value = new TextEncoder().encode(text);
  const reader = {
    read: () =>
      new Promise<{ done: boolean; value?: Uint8Array }>((resolve) => {
        setTimeout(() => resolve(isLeft ? { done: true } : { done: false, value }), 20);
      }),
    cancel: () => {
      isLeft = true;
      return Promise.resolve();
    },
  };
  const headers = { get: (name: string) => (name === 'content-type' ? 'text/event-stream' : null) };
  const response = { status: 200, headers, body: { getReader: () => reader } };
  return { response, left: () => isLeft };
}

test('events: an entry that the log has and the stream does not bring is refused, whatever else it brings', async () => {
  for (const text of [': 20\n\n', 'event: tick\ndata: {}\n\n']) {
    const server = new ServedLog(small);
    server.refusals.push(dripping(text).response);
    const query = { from: 18, maxSilenceS: 0.3 };
    assert.deepEqual(seqsOf(await answersOf(server, query)), ['entry_missing'], text);
    // It is found as well where it was published while the stream was read.
    const growing = new ServedLog(small);
    growing.refusals.push(dripping(text).response);
    setTimeout(() => growing.show(of(25)), 100);
    const next = await answersOf(growing, { from: 20, maxSilenceS: 0.3 });
    assert.deepEqual(seqsOf(next), ['entry_missing'], text);
  }
  // What never becomes an event is silence.
  for (const text of ['x', '\n', 'event: report/1\n']) {
    const server = new ServedLog(small);
    server.refusals.push(dripping(text).response);
    const query = { from: 20, maxSilenceS: 0.3 };
    assert.deepEqual(seqsOf(await answersOf(server, query)), ['unreachable'], text);
  }
});

test('events: a page in the place of the stream is refused', async () => {
  const server = new ServedLog(small);
  const page = new TextEncoder().encode('<!doctype html>\n<p>Sign in</p>\n');
  server.refusals.push(responseOf(200, [page], { 'content-type': 'text/html' }));
  const [refused] = await answersOf(server, { from: 20 });
  assert.ok(refused !== undefined && !refused.ok);
  assert.equal(refused.code, 'refused');
  assert.match(refused.why, /text\/html/);
});

test('events: an answer that is no stream and never ends is refused in time', async () => {
  const server = new ServedLog(small);
  server.refusals.push(responseOf(409, [new TextEncoder().encode('{')], {}, false));
  const answers = await answersOf(server, { from: 20, maxSilenceS: 0.3 });
  assert.deepEqual(seqsOf(answers), ['refused']);
});

test('events: a caller who takes long for one of them is not silence', async () => {
  const server = new ServedLog(small);
  server.endsAfter = 1;
  const client = await open(URL_OF_LOG, { key: KEY, fetch: server.fetch });
  const seqs: (number | string)[] = [];
  for await (const event of client.events({ from: 17, maxSilenceS: 0.8 })) {
    seqs.push(event.ok ? event.seq : event.code);
    if (seqs.length === 3) break;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  assert.deepEqual(seqs, [17, 18, 19]);
});

test('events: return and signal end them at once and close the connection, whatever they wait for', async () => {
  const stopped = async (
    server: ServedLog,
    stop: (events: AsyncIterableIterator<EventAnswer>) => void,
    signal?: AbortSignal,
  ): Promise<void> => {
    const client = await open(URL_OF_LOG, { key: KEY, fetch: server.fetch });
    const events = client.events({ from: 20, ...(signal === undefined ? {} : { signal }) });
    const next = events.next();
    setTimeout(() => stop(events), 400);
    const timer = new Promise((resolve) => setTimeout(resolve, 2000, 'waits'));
    assert.deepEqual(await Promise.race([next, timer]), { done: true, value: undefined });
    assert.deepEqual(await events.next(), { done: true, value: undefined });
  };
  for (const how of ['return', 'signal']) {
    const waits = (server: ServedLog): Promise<void> => {
      const controller = new AbortController();
      return how === 'return'
        ? stopped(server, (events) => void events.return?.())
        : stopped(server, () => controller.abort(), controller.signal);
    };
    // For a message.
    const quiet = new ServedLog(small);
    const { response, left } = dripping(': 20\n\n');
    quiet.refusals.push(response);
    await waits(quiet);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(left(), how);
    // In a pause.
    const busy = new ServedLog(small);
    busy.refusals.push(responseOf(503, [], { 'retry-after': '60' }));
    await waits(busy);
    // For the answer, which comes after all, and for the head.
    for (const path of ['/events', '/checkpoint']) {
      const slow = new ServedLog(small);
      const late = dripping(': 20\n\n');
      const { fetch } = slow;
      let answer = (): void => undefined;
      const slowly: typeof fetch = (url, init) => {
        if (!url.startsWith(`${URL_OF_LOG}${path}`)) return fetch(url, init);
        return new Promise((resolve) => {
          answer = () => resolve(late.response);
        });
      };
      await waits(Object.assign(slow, { fetch: slowly }));
      if (path !== '/events') continue;
      answer();
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.ok(late.left(), how);
    }
  }
});

test('events: a signal that is used for long has no listeners of events that ended', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const server = new ServedLog(small);
  server.endsAfter = 1;
  const client = await open(URL_OF_LOG, { key: KEY, fetch: server.fetch });
  client.events({ from: 0, signal });
  for (let i = 0; i < 3; i += 1) {
    for await (const event of client.events({ from: 18, signal })) {
      assert.ok(event.ok && getEventListeners(signal, 'abort').length <= 1);
      if (event.seq === 19) break;
    }
  }
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('events: a server that ends each connection at once is not stormed', async () => {
  const server = new ServedLog(small);
  const hello = new TextEncoder().encode('retry: 0\n: 20\n\n');
  for (let i = 0; i < 10_000; i += 1) {
    server.refusals.push(responseOf(200, [hello], { 'content-type': 'text/event-stream' }));
  }
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 1500);
  await answersOf(server, { from: 20, signal: stop.signal, maxSilenceS: 60 });
  assert.ok(server.asked.length <= 4, `${server.asked.length} connections in 1.5 s`);
});

test('events: a query that is none throws', async () => {
  const client = await open(URL_OF_LOG, { key: KEY, fetch: new ServedLog(small).fetch });
  for (const query of [
    { after: '5' },
    { after: `5-${'0'.repeat(16)}`, from: 5 },
    { from: -1 },
    { from: 1.5 },
    { tickers: [] },
    { kinds: ['a&b'] },
  ]) {
    await assert.rejects(
      client.events(query).next(),
      (error) => faultCode(error) === 'malformed',
      JSON.stringify(query),
    );
  }
});
