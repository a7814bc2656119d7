import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { systemClock } from '@assay/node/platform/clock';
import { nodeServer } from '@assay/node/http/node-server';
import { pipeline } from '@assay/node/http/pipeline';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Gathering } from '@assay/node/witness/client/gathering';
import { witnessFetch, witnessPeer } from '@assay/node/witness/client/witness-client';
import { FileWitnessMemory } from '@assay/node/witness/server/file-witness-memory';
import { Witness } from '@assay/node/witness/server/witness';
import { witnessRoutes } from '@assay/node/witness/server/witness-routes';
import {
  CHECKPOINTS,
  GENESIS_DRAFT,
  memoryPlace,
  note,
  openAt,
  ORIGIN,
  testSigner,
} from '../src/node/ledger/ledger-fixture.ts';
import { type GoAnswer, goProgram } from './go-program.ts';

const NAME = 'witness.example/assay';
const LOG = 'tessera.example/log';

async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-go-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A witness of one log on loopback, with its memory in a folder. */
async function startWitness(
  t: TestContext,
  folder: string,
  vkey: string,
): Promise<{ readonly url: string; readonly vkey: string }> {
  const witness = new Witness({
    name: NAME,
    signer: testSigner(7),
    logs: [{ origin: LOG, keys: [{ vkey, lastSize: null }] }],
    memory: await FileWitnessMemory.open(folder, join(folder, 'marks')),
    sha256: nodeSha256,
    now: systemClock,
  });
  const served = pipeline(witnessRoutes({ witness }), {
    requestId: () => 'test',
    now: () => 0,
    onError: (error) => assert.fail(String(error)),
  });
  const listening = await nodeServer(served, {}).listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  return { url: `http://127.0.0.1:${listening.port}/`, vkey: witness.vkey };
}

const verifiedBy = (answer: GoAnswer): readonly string[] => {
  assert.ok('said' in answer, 'failed' in answer ? answer.failed : '');
  return (answer.said[0] as { readonly verified: readonly string[] }).verified;
};

test('our witness cosigns a log that Tessera makes, and Tessera publishes with its line', async (t) => {
  const go = await goProgram(t);
  if (go === undefined) return;
  const memory = await mkdtemp(join(tmpdir(), 'assay-go-'));
  const log = go.start(['log', await scratch(t), LOG]);
  const { vkey } = (await log.next()) as { readonly vkey: string };
  let size = 0;
  for (const count of [10, 300, 5]) {
    // A witness that starts again goes on from what it has cosigned.
    const witness = await startWitness(t, memory, vkey);
    log.tell(`${count} ${witness.url} ${witness.vkey}`);
    const { checkpoint } = (await log.next()) as { readonly checkpoint: string };
    size += count;
    assert.equal(parseCheckpoint(parseNote(Buffer.from(checkpoint)).text).size, size);
    const opened = await go.run(['note', vkey, witness.vkey], checkpoint);
    assert.deepEqual([...verifiedBy(opened)].sort(), [LOG, NAME].sort());
  }
  // Another log under the same name and key: it cannot show that it holds the first.
  const fork = go.start(['log', await scratch(t), LOG]);
  const { vkey: other } = (await fork.next()) as { readonly vkey: string };
  const witness = await startWitness(t, memory, other);
  // Behind the ends of the witnesses, which the log goes on asking.
  t.after(() => rm(memory, { recursive: true, force: true }));
  fork.tell(`400 ${witness.url} ${witness.vkey}`);
  await assert.rejects(fork.next(), /x\.tlog\.size 315/);
});

test(
  'omniwitness cosigns our log, and no reader is shown a head before',
  { timeout: 300_000 },
  async (t) => {
    const go = await goProgram(t);
    if (go === undefined) return;
    const theirs = go.start(['witness', 'omniwitness.example', ORIGIN, CHECKPOINTS.vkey]);
    const { url, vkey } = (await theirs.next()) as { readonly url: string; readonly vkey: string };
    const place = await memoryPlace();
    const witness = new Gathering({
      witnesses: [witnessPeer(nodeSha256, { url, vkey })],
      required: 1,
      maxAgeS: 3600,
      fetch: witnessFetch,
      now: systemClock,
    });
    const ledger = await openAt(place, { witness });
    witness.follow(ledger);
    t.after(async () => {
      await witness.stop();
      await ledger.close();
    });
    let size = 0;
    for (const count of [1, 20, 300, 5]) {
      const drafts = Array.from({ length: count }, (_, i) => note(`${size + i}`));
      await ledger.write(() => (size === 0 ? [GENESIS_DRAFT] : drafts));
      size += count;
      while (ledger.published?.size !== size) await new Promise((resolve) => setImmediate(resolve));
      const shown = ledger.published?.note ?? new Uint8Array();
      const opened = await go.run(['note', CHECKPOINTS.vkey, vkey], shown);
      assert.deepEqual([...verifiedBy(opened)].sort(), [ORIGIN, 'omniwitness.example'].sort());
    }
  },
);
