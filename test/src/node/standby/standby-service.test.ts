import assert from 'node:assert/strict';
import { readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatNoteKey } from '@assay/core/log/note';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { parseConfig } from '@assay/node/production/config';
import { makeLogger } from '@assay/node/production/logger';
import { askStandby } from '@assay/node/standby/promotion-request';
import { type RunningStandby, startStandby } from '@assay/node/standby/standby-service';
import { listen, scratch } from '../../cli/fixture/run.ts';
import { ORIGIN } from '../ledger/ledger-fixture.ts';
import { checkpointKey } from '../mirror/checkpoint-bodies.ts';
import type { Server } from '../mirror/mirror-fixture.ts';
import { PaperPublisher } from '../mirror/paper-publisher.ts';

/** The address of a publisher on paper. */
function published(t: TestContext, server: Server): Promise<string> {
  return listen(
    t,
    createServer((request, response) => {
      void server.get(request.url ?? '', 1_000_000).then(
        ({ status, body }) => {
          response.statusCode = status;
          response.end(body);
        },
        () => response.destroy(),
      );
    }),
  );
}

/** Waits until something holds, for up to half a minute. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail('it never came to hold');
}

/** How often this process has a file open. */
async function handlesOf(path: string): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((each) =>
    readlink(join('/proc/self/fd', each)).catch(() => ''),
  );
  return (await Promise.all(links)).filter((each) => each === path).length;
}

test('standby service: after a promotion that was refused it tries to follow again until it can', async (t) => {
  let running: RunningStandby | undefined;
  // What was asked for first comes first: nobody writes to the folder any more when it goes.
  t.after(() => running?.close());
  const folder = dataFolder(join(await scratch(t), 'b'));
  const log = new PaperPublisher().notes(4);
  const server = log.serve();
  const vkey = formatNoteKey(nodeSha256, ORIGIN, checkpointKey(0).publicKey);
  const config = parseConfig(
    {
      contact: 'test@example.org',
      transport: 'node',
      data: folder.root,
      port: 0,
      metrics_port: 0,
      // Nobody is there: what it has is confirmed to nobody, and it follows all the same.
      head_guard: {
        kind: 'postgres',
        addresses: ['127.0.0.1:1'],
        database: 'postgres',
        user: 'assay',
        tls: 'off',
        timeout_s: 1,
      },
      standby: {
        name: 'b',
        publisher: await published(t, server),
        checkpoint_vkey: vkey,
        poll_s: 0.1,
      },
    },
    { ASSAY_GUARD_PASSWORD: 'none' },
    folder.root,
  );
  const standby = await startStandby(
    config,
    { ASSAY_GUARD_PASSWORD: 'none' },
    makeLogger('silent'),
  );
  running = standby;
  const said = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${standby.port}/readyz`)).text();
  const polls = (): number => server.asked.filter((path) => path === '/checkpoint').length;
  await until(async () => polls() > 2);
  // What it needs to follow is not there when it comes back.
  await rm(folder.blobs, { recursive: true });
  await writeFile(folder.blobs, 'no folder');
  const pause = (): Promise<void> => sleep(50);
  await assert.rejects(askStandby(folder.root, 'it is off', { tries: 400, pause }), {
    code: 'key_missing',
  });
  await until(async () =>
    (await said()).includes('was refused, and following the publisher again fails'),
  );
  const before = polls();
  if (process.platform === 'linux') {
    assert.equal(await handlesOf(folder.accepted), 0, 'a try that failed leaves nothing open');
  }
  await sleep(300);
  assert.equal(polls(), before, 'nothing is followed');
  await rm(folder.blobs);
  log.notes(3).show(server);
  await until(async () => polls() > before + 2);
  assert.doesNotMatch(await said(), /following the publisher again fails/);
  assert.match((await readFile(folder.accepted)).toString('latin1'), /\n8\n/);
  // It takes requests again.
  await assert.rejects(askStandby(folder.root, 'it is off', { tries: 400, pause }), {
    code: 'key_missing',
  });
});
