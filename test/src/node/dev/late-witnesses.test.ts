import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseNote } from '@assay/core/log/note';
import { LateWitnesses } from '@assay/node/dev/late-witnesses';
import type { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Gathering, type GatheringParts } from '@assay/node/witness/client/gathering';
import { Witness } from '@assay/node/witness/server/witness';
import { MemoryWitnessMemory } from '@assay/node/witness/server/witness-memory';
import {
  CHECKPOINTS,
  GENESIS_DRAFT,
  memoryPlace,
  NOON,
  note,
  openAt,
  ORIGIN,
  someLeaf,
  testSigner,
  turns,
} from '../ledger/ledger-fixture.ts';
import { fetchFrom, peerOf } from '../witness/witness-fixture.ts';

const URL = 'http://w.example';
const NAME = 'witness.example/w';

const witness = (): Witness =>
  new Witness({
    name: NAME,
    signer: testSigner(60),
    logs: [{ origin: ORIGIN, keys: [{ vkey: CHECKPOINTS.vkey, lastSize: null }] }],
    memory: new MemoryWitnessMemory(),
    sha256: nodeSha256,
    now: () => NOON,
  });

function gatheringOf(asked: Witness, change: Partial<GatheringParts> = {}): Gathering {
  return new Gathering({
    witnesses: [peerOf(URL, asked)],
    required: 0,
    maxAgeS: 600,
    fetch: fetchFrom({ [URL]: asked }),
    now: () => NOON,
    timing: { everyMs: 600_000, silentAfterS: 0 },
    ...change,
  });
}

/** A log whose witnesses are late. */
async function world(t: TestContext): Promise<{ ledger: Ledger; late: LateWitnesses }> {
  const late = new LateWitnesses();
  const ledger = await openAt(await memoryPlace(), { witness: late });
  await ledger.write(() => [GENESIS_DRAFT]);
  t.after(async () => {
    await late.stop();
    await ledger.close();
  });
  return { ledger, late };
}

const namesOn = ({ published }: Ledger): readonly string[] =>
  parseNote(published?.note ?? new Uint8Array()).signatures.map(({ name }) => name);

test('late witnesses: heads are shown without a line before they are there, and gain it from then on', async (t) => {
  const { ledger, late } = await world(t);
  const asked = witness();
  await assert.rejects(late.begin(gatheringOf(asked)), TypeError, 'no log is followed');
  late.follow(ledger);
  await ledger.write(() => [note('before')]);
  assert.equal(ledger.published?.size, ledger.nextSeq);
  assert.deepEqual(namesOn(ledger), [ORIGIN]);
  assert.deepEqual(late.concerns(), []);
  await late.begin(gatheringOf(asked));
  assert.deepEqual(namesOn(ledger), [ORIGIN, NAME]);
  await ledger.write(() => [note('after')]);
  await turns(20);
  assert.deepEqual(namesOn(ledger), [ORIGIN, NAME]);
  assert.equal((await asked.head(ORIGIN))?.size, ledger.nextSeq);
});

test('late witnesses: one that is silent is reported, and nothing waits for it', async (t) => {
  const { ledger, late } = await world(t);
  late.follow(ledger);
  await late.begin(gatheringOf(witness(), { fetch: () => Promise.reject(new Error('no route')) }));
  assert.deepEqual(
    late.concerns().map(({ reason }) => reason),
    [`Witness ${NAME} does not answer.`],
  );
  await ledger.write(() => [note('after')]);
  assert.equal(ledger.published?.size, ledger.nextSeq);
  assert.deepEqual(namesOn(ledger), [ORIGIN]);
});

test('late witnesses: what one of them holds against the log stops it', async (t) => {
  const { ledger, late } = await world(t);
  late.follow(ledger);
  const larger = CHECKPOINTS.sign(100, someLeaf(1));
  const gathering = gatheringOf(witness(), {
    fetch: () => Promise.resolve({ status: 422, body: new Uint8Array() }),
    fetchHead: () => Promise.resolve(larger),
  });
  await late.begin(gathering);
  assert.equal(ledger.blocked?.code, 'ledger_behind');
});
