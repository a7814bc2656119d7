import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { askedAnswers } from '@assay/verifier/subject/asked-answers';

const PATHS = Array.from({ length: 150 }, (_, i) => `/${i}`);
const BODY = new Uint8Array(0);

test('asked answers: all in their order, and no more at once than a server or a copy is asked for', async () => {
  for (const [live, most] of [
    [true, 8],
    [false, 64],
  ] as const) {
    let asked = 0;
    let under = 0;
    let largest = 0;
    const reader: LogReader = {
      live,
      async get(path) {
        asked += 1;
        under += 1;
        largest = Math.max(largest, under);
        await new Promise((resolve) => setImmediate(resolve));
        under -= 1;
        return { status: Number(path.slice(1)), body: BODY, logSize: undefined };
      },
    };
    const seen: string[] = [];
    for await (const { from, answers } of askedAnswers(reader, PATHS)) {
      assert.equal(from, seen.length);
      // The next ones of a copy are on their way.
      const rest = PATHS.length - from - answers.length;
      assert.equal(asked - from - answers.length, live ? 0 : Math.min(rest, 64));
      for (const { path, status } of answers) {
        assert.equal(path, `/${status}`);
        seen.push(path);
      }
    }
    assert.deepEqual(seen, PATHS);
    assert.equal(largest, most, `live ${live}`);
  }
});

test('asked answers: an error of one that was asked for ahead comes in its turn', async () => {
  const reader: LogReader = {
    live: false,
    get: (path) =>
      path === '/80'
        ? Promise.reject(new Error('it is down'))
        : Promise.resolve({ status: 200, body: BODY, logSize: undefined }),
  };
  let seen = 0;
  const read = async (): Promise<void> => {
    for await (const { answers } of askedAnswers(reader, PATHS)) {
      seen += answers.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await assert.rejects(read(), /it is down/);
  assert.equal(seen, 64);
});
