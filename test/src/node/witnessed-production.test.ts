import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseNote } from '@assay/core/log/note';
import { type Config, parseConfig } from '@assay/node/production/config';
import { dataFolder } from '@assay/node/platform/data-folder';
import { initData } from '@assay/node/data/init';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { RunningNode } from '@assay/node/node';
import { startFromConfig } from '@assay/node/production/production';
import { Witness } from '@assay/node/witness/server/witness';
import { MemoryWitnessMemory } from '@assay/node/witness/server/witness-memory';
import { witnessRoutes } from '@assay/node/witness/server/witness-routes';
import { testSigner } from './ledger/ledger-fixture.ts';
import { serveRoutes } from './witness/served-routes.ts';

const ORIGIN = 'log.example/assay';
const log = makeLogger('silent');

interface World {
  readonly folder: string;
  readonly witness: Witness;
  readonly config: (witnesses: Config['witnesses']) => Config;
  /** The witness where it is served. */
  readonly served: Config['witnesses'];
}

/** A log whose policy asks for a witness, and the witness. */
async function world(t: TestContext): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-witnessed-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const data = join(folder, 'data');
  const { checkpointVkey } = await initData(dataFolder(data), nodeSha256, () => 1_767_225_600, {
    origin: ORIGIN,
    passphrase: undefined,
    policies: { cosigners_required: 0, witnesses_required: 1, witness_max_age_s: 600 },
  });
  const witness = new Witness({
    name: 'witness.example/w1',
    signer: testSigner(71),
    logs: [{ origin: ORIGIN, keys: [{ vkey: checkpointVkey, lastSize: null }] }],
    memory: new MemoryWitnessMemory(),
    sha256: nodeSha256,
    now: () => Math.floor(Date.now() / 1000),
  });
  const url = await serveRoutes(t, witnessRoutes({ witness }));
  const least = {
    data,
    contact: 'a@example.org',
    port: 0,
    transport: 'node',
    poll_s: 3600,
    calendars: [],
    bitcoin_explorers: [],
  };
  return {
    folder,
    witness,
    config: (witnesses) => parseConfig({ ...least, witnesses }, {}, folder),
    served: [{ url, vkey: witness.vkey }],
  };
}

async function start(config: Config): Promise<RunningNode> {
  const node = await startFromConfig(config, {}, log);
  assert.ok('ledger' in node, 'a node that writes');
  return node;
}

interface Status {
  readonly state: string;
  readonly reasons: readonly string[];
}

async function statusOf({ port }: { readonly port: number }): Promise<Status> {
  return (await (await fetch(`http://127.0.0.1:${port}/status`)).json()) as Status;
}

test('witnessed production: readers get what the witness has cosigned', async (t) => {
  const { config, served, witness } = await world(t);
  const node = await start(config(served));
  try {
    await node.ledger.whenPublished(1);
    await node.ledger.write(() => [{ kind: 'note/1', body: { text: 'x' } }]);
    await node.ledger.whenPublished(2);
    const answer = await fetch(`http://127.0.0.1:${node.port}/checkpoint`);
    const note = new Uint8Array(await answer.arrayBuffer());
    assert.deepEqual(
      parseNote(note).signatures.map(({ name }) => name),
      [ORIGIN, witness.name],
    );
    assert.equal((await witness.head(ORIGIN))?.size, 2);
    assert.equal((await statusOf(node)).state, 'ok');
  } finally {
    await node.close();
  }
});

test('witnessed production: fewer in the config than the log promises, or no witness’s key: bad_config', async (t) => {
  const { config, served } = await world(t);
  const [first] = served;
  assert.ok(first !== undefined);
  const logKey = 'log.example/assay+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';
  for (const witnesses of [
    [],
    [{ ...first, vkey: 'witness' }],
    [{ ...first, vkey: logKey }],
    [first, { ...first, url: 'http://127.0.0.1:1' }],
  ]) {
    await assert.rejects(startFromConfig(config(witnesses), {}, log), { code: 'bad_config' });
  }
  // What was opened is closed again.
  const node = await start(config(served));
  await node.close();
});

test('witnessed production: without an answer at the start it writes nothing, and shows what it showed', async (t) => {
  const { config, served, witness } = await world(t);
  const silent = [{ url: 'http://127.0.0.1:1', vkey: witness.vkey }];
  const fresh = await start(config(silent));
  assert.equal(fresh.ledger.blocked?.code, 'read_only');
  assert.equal((await fetch(`http://127.0.0.1:${fresh.port}/checkpoint`)).status, 503);
  assert.equal((await statusOf(fresh)).state, 'halted');
  await fresh.close();
  const node = await start(config(served));
  await node.ledger.whenPublished(1);
  await node.close();
  const again = await start(config(silent));
  try {
    assert.equal(again.ledger.blocked?.code, 'read_only');
    const checkpoint = await fetch(`http://127.0.0.1:${again.port}/checkpoint`);
    assert.equal(checkpoint.status, 200);
    assert.equal(parseNote(new Uint8Array(await checkpoint.arrayBuffer())).signatures.length, 2);
    const { state, reasons } = await statusOf(again);
    assert.equal(state, 'degraded');
    assert.match(reasons.join(), /^Nothing is written: the newest head could not be compared/);
  } finally {
    await again.close();
  }
});

test('witnessed production: behind what a witness has cosigned it does not write, guard or no guard', async (t) => {
  const { folder, config, served } = await world(t);
  const { root } = dataFolder(join(folder, 'data'));
  const old = join(folder, 'old');
  await cp(root, old, { recursive: true });
  const node = await start(config(served));
  await node.ledger.write(() => [{ kind: 'note/1', body: { text: 'x' } }]);
  await node.ledger.whenPublished(2);
  await node.close();
  // All of the machine went back, the head guard with it: only the witness knows.
  await rm(root, { recursive: true });
  await cp(old, root, { recursive: true });
  const behind = await startFromConfig(config(served), {}, log);
  try {
    assert.equal('ledger' in behind, false);
    const { state, reasons } = await statusOf(behind);
    assert.equal(state, 'halted');
    assert.match(reasons.join(), /the database has fewer entries than were published/);
  } finally {
    await behind.close();
  }
});
