import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { Provider } from '@assay/core/rule/rule';
import { parseDate } from '@assay/core/time/time';
import { nodeEnvironment } from '@assay/cli/process/node-environment';
import { VerifyThreads } from '@assay/cli/process/verify-threads';
import { answerOfResult, readTask } from '@assay/verifier/task/read-task';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { judgeSite, publish, siteOf } from '../../verifier/fixture/published.ts';

const rule = layoffsRule();
const table = rule.providers[1] as Provider;

function taskOf(claims: string): ReturnType<typeof readTask> {
  const bytes = formatUtf8(`week_ending,series,claims\n2026-07-25,SA,${claims}\n`);
  const pages = [{ status: 200, bytes }];
  return readTask(rule, table, pages, null, parseDate('2026-07-25'), Number.POSITIVE_INFINITY);
}

/** Threads that run this code instead, and are started at once. */
async function withWorker(
  code: string,
  use: (threads: VerifyThreads) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-worker-'));
  const path = join(folder, 'worker.mjs');
  writeFileSync(path, code);
  const threads = new VerifyThreads({
    threads: 1,
    before: 0,
    leastBytes: 0,
    worker: pathToFileURL(path),
  });
  try {
    await use(threads);
  } finally {
    await threads.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('verify threads: signatures and reads come back each to its own caller, from two threads', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = new Uint8Array(
    Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url'),
  );
  const threads = new VerifyThreads({ threads: 2, before: 0, leastBytes: 0 });
  const { verifySignature, readElsewhere } = threads.tools;
  try {
    const answers = Array.from({ length: 100 }, async (_, i) => {
      const message = formatUtf8(`message ${i}`);
      const signature = new Uint8Array(sign(null, message, privateKey));
      if (i % 3 === 0) signature[0] = (signature[0] as number) ^ 1;
      assert.equal(await verifySignature(key, message, signature), i % 3 !== 0, `signature ${i}`);
    });
    const reads = Array.from({ length: 60 }, async (_, i) => {
      const result = await readElsewhere(taskOf(`${218_000 + i}`));
      const reading = result === undefined ? undefined : answerOfResult(result)?.reading;
      assert.deepEqual(reading, { outcome: 'ok', value: BigInt(218_000 + i) }, `read ${i}`);
    });
    await Promise.all([...answers, ...reads]);
    assert.equal(await verifySignature(key, formatUtf8('x'), new Uint8Array(63)), false);
    const other = { ...taskOf('1'), provider: 'none' };
    await assert.rejects(readElsewhere(other) as Promise<unknown>, /no provider none/);
    assert.notEqual(await readElsewhere(taskOf('1')), undefined, 'and the thread goes on');
  } finally {
    await threads.close();
  }
});

test('verify threads: little work is done without any', async () => {
  const threads = new VerifyThreads({ threads: 1, before: 3, leastBytes: 0 });
  const { verifySignature, readElsewhere } = threads.tools;
  assert.equal(readElsewhere(taskOf('1')), undefined);
  assert.equal(
    await verifySignature(new Uint8Array(32), new Uint8Array(0), new Uint8Array(64)),
    false,
  );
  assert.equal(readElsewhere(taskOf('1')), undefined);
  await threads.close();
  const none = new VerifyThreads({ threads: 0, before: 0, leastBytes: 0 });
  assert.equal(none.tools.readElsewhere(taskOf('1')), undefined);
});

test('verify threads: a read of few bytes stays with the walk, because to send it takes as long', async () => {
  const threads = new VerifyThreads({ threads: 1, before: 0 });
  const { readElsewhere } = threads.tools;
  assert.equal(readElsewhere(taskOf('1')), undefined);
  const long = taskOf('1'.padEnd(4096));
  assert.ok((await readElsewhere(long)) !== undefined);
  await threads.close();
});

test('verify threads: a thread that dies makes a verification incomplete, never verified', async () => {
  const log = await sampleLog();
  const site = siteOf(publish(log.entries, log.blobs, log.checkpoints));
  const die = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => process.exit(3));`;
  const raise = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => { throw new Error('broken'); });`;
  const garble = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (jobs) => parentPort.postMessage(jobs.map(({ id }) => ({ id }))));`;
  for (const [code, reason] of [
    [die, /ended with 3/],
    [raise, /broken/],
    [garble, /another answer/],
  ] as const) {
    await withWorker(code, async (threads) => {
      const environment = nodeEnvironment(undefined, false, threads);
      const verdict = await judgeSite(site, {}, { environment });
      assert.equal(verdict.outcome, 'incomplete');
      assert.match(verdict.outcome === 'incomplete' ? verdict.reason : '', reason);
    });
  }
});

test('verify threads: a process ends in order where answers arrive while its threads are closed', () => {
  // In a process of its own: what failed was that nothing kept it alive, and it ended with 13 and without a verdict.
  const code = `
    import { VerifyThreads } from ${JSON.stringify(import.meta.resolve('@assay/cli/process/verify-threads'))};
    const threads = new VerifyThreads({ threads: 1, before: 0, leastBytes: 0 });
    const ask = () => Promise.allSettled(Array.from({ length: 32 }, () => threads.tools.verifySignature(
      new Uint8Array(32), new Uint8Array(1), new Uint8Array(64))));
    await ask();
    const late = ask();
    const until = performance.now() + 500;
    while (performance.now() < until);
    await threads.close();
    await late;
    console.log('closed');`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { encoding: 'utf8' },
  );
  assert.deepEqual([status, stdout, stderr], [0, 'closed\n', '']);
});

test('verify threads: a log has the same verdict with one, two and no threads', async () => {
  const log = await sampleLog();
  const site = siteOf(publish(log.entries, log.blobs, log.checkpoints));
  const alone = JSON.stringify(await judgeSite(site, {}, { environment: nodeEnvironment() }));
  for (const count of [1, 2]) {
    const threads = new VerifyThreads({ threads: count, before: 0, leastBytes: 0 });
    try {
      const environment = nodeEnvironment(undefined, false, threads);
      assert.equal(JSON.stringify(await judgeSite(site, {}, { environment })), alone);
    } finally {
      await threads.close();
    }
  }
});
