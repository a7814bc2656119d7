import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskedAhead } from '@assay/cli/verify/asked-ahead';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';

/** A host whose answers wait until they are let go. */
class Host {
  readonly requests: string[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly failing = new Set<string>();

  get reader(): LogReader {
    return {
      live: false,
      get: async (path) => {
        this.requests.push(path);
        await new Promise<void>((resolve) => void this.#waiting.push(resolve));
        if (this.failing.has(path)) throw new Error(`no answer: ${path}`);
        return answerFor(path);
      },
    };
  }

  /** Lets whoever asks do so, answers, and lets whoever waits for it run. */
  async answer(): Promise<void> {
    await new Promise(setImmediate);
    for (const resolve of this.#waiting.splice(0)) resolve();
    await new Promise(setImmediate);
  }
}

const answerFor = (path: string, bytes = 10): Answer => ({
  status: 200,
  body: Buffer.from(path.padEnd(bytes)),
  logSize: undefined,
});

const paths = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `/a/${i}`);

test('asked ahead: each answer is handed out once, and asked for again after that', async () => {
  const host = new Host();
  const ahead = new AskedAhead(host.reader);
  ahead.begin(['/a', '/b']);
  assert.deepEqual(host.requests, ['/a', '/b']);
  const found = ahead.reader.get('/a');
  assert.equal(host.requests.length, 2);
  await host.answer();
  assert.deepEqual(await found, answerFor('/a'));
  assert.deepEqual(await ahead.reader.get('/b'), answerFor('/b'), 'it was here before');
  const again = ahead.reader.get('/b');
  assert.deepEqual(host.requests, ['/a', '/b', '/b']);
  await host.answer();
  assert.deepEqual(await again, answerFor('/b'));
  assert.deepEqual(ahead.asked, ['/a', '/b']);
});

test('asked ahead: the head of a log and its parts are never asked for ahead, nor remembered', async () => {
  const host = new Host();
  const ahead = new AskedAhead(host.reader);
  const parts = ['/checkpoint', '/closing-head/1', '/tile/0/000', '/pack/1/000', '/blob/ab'];
  ahead.begin([...parts, '/indices', '/checkpoints']);
  assert.deepEqual(host.requests, ['/indices', '/checkpoints']);
  for (const path of [...parts, '/keys']) void ahead.reader.get(path);
  await host.answer();
  assert.deepEqual(ahead.asked, ['/keys']);
});

test('asked ahead: there is room for the walk beside it, and what the walk has asked for is left out', async () => {
  const host = new Host();
  const ahead = new AskedAhead(host.reader);
  void ahead.reader.get('/a/1');
  ahead.begin(paths(200));
  assert.equal(host.requests.length, 1 + 48);
  for (let turn = 0; turn < 10; turn += 1) await host.answer();
  assert.deepEqual([...host.requests].sort(), [...paths(200)].sort());
});

test('asked ahead: what is not fetched does not take more and more memory', async () => {
  const host = new Host();
  const large: LogReader = {
    ...host.reader,
    get: async (path) => {
      host.requests.push(path);
      return answerFor(path, 16 * 1024 * 1024);
    },
  };
  const ahead = new AskedAhead(large);
  ahead.begin(paths(1000));
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  assert.ok(host.requests.length <= 8 + 48, String(host.requests.length));
});

test('asked ahead: a host that does not answer is asked no more ahead, and whoever needs the answer gets the error', async () => {
  const host = new Host();
  host.failing.add('/a/0');
  const ahead = new AskedAhead(host.reader);
  ahead.begin(paths(100));
  await host.answer();
  await host.answer();
  assert.ok(host.requests.length < 100);
  const failed = ahead.reader.get('/a/0');
  const asserted = assert.rejects(failed, /no answer/);
  await host.answer();
  await asserted;
});

test('asked ahead: nothing is asked for after its end', async () => {
  const host = new Host();
  const ahead = new AskedAhead(host.reader);
  ahead.begin(paths(100));
  ahead.end();
  for (let turn = 0; turn < 5; turn += 1) await host.answer();
  assert.equal(host.requests.length, 48);
  const got = ahead.reader.get('/a/0');
  await host.answer();
  assert.deepEqual(await got, answerFor('/a/0'));
  assert.equal(host.requests.length, 49, 'what was under way is not handed out');
});
