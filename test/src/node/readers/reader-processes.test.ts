import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TransportChoice } from '@assay/node/http/server';
import { makeLogger } from '@assay/node/production/logger';
import { ReaderProcesses } from '@assay/node/readers/reader-processes';
import { noTransport, TRANSPORTS } from '../api/world-service.ts';
import { CHECKPOINTS, note } from '../ledger/ledger-fixture.ts';
import { publisherWorld, QUOTAS, TOKEN } from './publisher-world.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('@assay/node/serve/reader-process'));

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-readers-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function processesOf(
  url: string,
  folder: string,
  change: {
    readonly transport?: TransportChoice;
    readonly port?: number;
    readonly vkey?: string;
  } = {},
): ReaderProcesses {
  return new ReaderProcesses({
    count: 2,
    program: PROGRAM,
    host: '127.0.0.1',
    port: change.port ?? 0,
    settingOf: (number, port) => ({
      publisher: { url, token: TOKEN },
      folder: join(folder, String(number)),
      vkey: change.vkey ?? CHECKPOINTS.vkey,
      host: '127.0.0.1',
      port,
      transport: change.transport ?? 'auto',
      server: {},
      quotas: QUOTAS,
      logLevel: 'silent',
      pollMs: 100,
    }),
    log: makeLogger('silent'),
  });
}

/** Waits until `holds`, and fails after a minute. */
async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let i = 0; i < 1200; i += 1) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail(`${what} within a minute`);
}

/** Whether a process of this user runs. */
function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);
  test(
    `reader processes over ${transport}: they share a port, one that is killed is started again, and all end`,
    { skip },
    async (t) => {
      const folder = await folderOf(t);
      const publisher = await publisherWorld(t, folder);
      const readers = processesOf(publisher.inside, folder, { transport });
      t.after(() => readers.stop());
      const port = await readers.open();
      const base = `http://127.0.0.1:${port}`;
      await until(() => readers.status.every(({ listens }) => listens), 'both answer');
      assert.deepEqual(readers.concerns(), []);
      const pids = readers.status.map(({ pid }) => pid as number);
      assert.equal(new Set(pids).size, 2);
      const ask = async (): Promise<number> => {
        const answer = await fetch(`${base}/indices`, { headers: { connection: 'close' } });
        await answer.arrayBuffer();
        return answer.status;
      };
      // The kernel deals connections out at random: with 200 of them nobody is left out.
      for (let i = 0; i < 200; i += 1) assert.equal(await ask(), 200);
      await until(
        () => readers.status.every(({ figures }) => (figures?.requests ?? 0) > 0),
        'both have answered',
      );
      const [victim = 0, other = 0] = pids;
      process.kill(victim, 'SIGKILL');
      await until(() => readers.status[0]?.pid !== victim, 'the death is noticed');
      assert.match(readers.concerns()[0]?.reason ?? '', /^Of the 2 readers of this machine, 1 do/);
      // The other one answers meanwhile, but for connections that the dead one had not taken.
      await until(async () => (await ask().catch(() => 0)) === 200, 'an answer');
      await until(() => readers.status.every(({ listens }) => listens), 'it answers again');
      assert.equal(readers.status[0]?.restarts, 1);
      assert.equal(readers.status[1]?.pid, other);
      await publisher.world.ledger.write(() => [note('one more')]);
      const size = publisher.world.ledger.published?.size;
      await until(
        () => readers.status.every(({ figures }) => figures?.size === size),
        'the entry is shown by both',
      );
      const last = readers.status.map(({ pid }) => pid as number);
      await readers.stop();
      assert.deepEqual(last.map(runs), [false, false]);
      await assert.rejects(ask());
    },
  );
}

test('reader processes: a port that somebody has is refused, and one that cannot start is tried again and said', async (t) => {
  const folder = await folderOf(t);
  const publisher = await publisherWorld(t, folder);
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  t.after(() => holder.close());
  const { port } = holder.address() as AddressInfo;
  await assert.rejects(processesOf(publisher.inside, folder, { port }).open(), {
    code: 'bad_config',
  });
  const wrong = processesOf(publisher.inside, folder, { vkey: 'no key at all' });
  t.after(() => wrong.stop());
  void wrong.open();
  await until(() => wrong.status.some(({ restarts }) => restarts > 1), 'it is tried again');
  assert.match(wrong.concerns()[0]?.reason ?? '', /2 do not answer/);
  await wrong.stop();
});
