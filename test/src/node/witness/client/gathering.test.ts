import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { parseNote } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWitnessRequest } from '@assay/node/witness/server/witness-request';
import { recordConcerns } from '@assay/node/health/concern';
import { checkpointSigner, type Signer } from '@assay/node/ledger/checkpoint-signer';
import type { Ledger } from '@assay/node/ledger/ledger';
import { Gathering, type GatheringParts } from '@assay/node/witness/client/gathering';
import { Witness } from '@assay/node/witness/server/witness';
import type { WitnessFetch } from '@assay/node/witness/client/witness-client';
import { MemoryWitnessMemory } from '@assay/node/witness/server/witness-memory';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  CHECKPOINTS,
  Gate,
  GENESIS_DRAFT,
  memoryPlace,
  NOON,
  note,
  openAt,
  ORIGIN,
  type Place,
  filledLedger,
  someLeaf,
  testSigner,
  turns,
} from '../../ledger/ledger-fixture.ts';
import { fetchFrom, lineOn, peerOf } from '../witness-fixture.ts';

const name = (i: number): string => `witness.example/w${i}`;
const url = (i: number): string => `http://w${i}.example`;
const signerOf = (i: number): Signer => testSigner(60 + i);

const TIMING = { graceMs: 60_000, timeoutMs: 60_000, silentAfterS: 60 };

/** `count` witnesses of the ledger's log, each of which can be silent, slow, or lie. */
class World {
  now = NOON;
  readonly witnesses: readonly Witness[];
  readonly silent = new Set<number>();
  readonly refuses = new Set<number>();
  readonly lies = new Map<number, (own: Uint8Array) => string>();
  readonly gates: readonly Gate[];
  /** Requests of each witness. */
  readonly asked: number[];
  readonly #fetch: WitnessFetch;

  constructor(count: number) {
    this.witnesses = Array.from({ length: count }, (_, i) => this.#witness(i));
    this.gates = this.witnesses.map(() => new Gate());
    this.asked = this.witnesses.map(() => 0);
    this.#fetch = fetchFrom(
      Object.fromEntries(this.witnesses.map((witness, i) => [url(i), witness])),
    );
  }

  #witness(i: number): Witness {
    return new Witness({
      name: name(i),
      signer: signerOf(i),
      logs: [{ origin: ORIGIN, keys: [{ vkey: CHECKPOINTS.vkey, lastSize: null }] }],
      memory: new MemoryWitnessMemory(),
      sha256: nodeSha256,
      now: () => this.now,
    });
  }

  readonly fetch: WitnessFetch = async (request) => {
    const i = this.witnesses.findIndex((_, at) => request.url.startsWith(url(at)));
    this.asked[i] = (this.asked[i] ?? 0) + 1;
    await this.gates[i]?.pass();
    if (this.silent.has(i)) throw new Error('no route');
    if (this.refuses.has(i)) return { status: 422, body: new Uint8Array() };
    const lie = this.lies.get(i);
    if (lie === undefined) return this.#fetch(request);
    const text = Buffer.from(request.body).toString();
    const own = formatUtf8(text.slice(text.indexOf('\n\n') + 2));
    return { status: 200, body: formatUtf8(lie(own)) };
  };

  gathering(required: number, change: Partial<GatheringParts> = {}): Gathering {
    return new Gathering({
      witnesses: this.witnesses.map((witness, i) => peerOf(url(i), witness)),
      required,
      maxAgeS: 600,
      fetch: this.fetch,
      now: () => this.now,
      timing: TIMING,
      ...change,
    });
  }
}

async function open(t: TestContext, place: Place, gathering: Gathering): Promise<Ledger> {
  const ledger = await openAt(place, { witness: gathering });
  gathering.follow(ledger);
  t.after(async () => {
    await gathering.stop();
    await ledger.close().catch(() => undefined);
  });
  return ledger;
}

/** Names in the lines of what readers are shown, the log's own left out; none where they are shown nothing. */
function namesOn(ledger: Ledger): readonly string[] {
  const { published } = ledger;
  if (published === undefined) return [];
  const [own, ...lines] = parseNote(published.note).signatures;
  assert.equal(own?.name, ORIGIN, "the log's own line is the first");
  CHECKPOINTS.open(published.note);
  return lines.map((line) => line.name);
}

const reasons = (gathering: Gathering): readonly string[] =>
  gathering.concerns().map(({ reason }) => reason);

test('gathering: a head is shown with the lines of as many as are required', async (t) => {
  const world = new World(3);
  world.silent.add(1);
  const gathering = world.gathering(2);
  const ledger = await open(t, await memoryPlace(), gathering);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  assert.deepEqual(namesOn(ledger), [name(0), name(2)]);
  await ledger.write(() => [note('x')]);
  await ledger.whenPublished(2);
  assert.deepEqual(namesOn(ledger), [name(0), name(2)]);
  assert.ok(gathering.isEnough(ledger.published?.note ?? new Uint8Array()));
  assert.deepEqual(reasons(gathering), [], 'silent for a moment');
  world.now += 60;
  assert.deepEqual(reasons(gathering), ['Witness witness.example/w1 does not answer.']);
  world.silent.clear();
  await turns();
  await gathering.poll();
  assert.deepEqual(namesOn(ledger), [name(0), name(1), name(2)], 'a late line is added');
  assert.deepEqual(reasons(gathering), []);
});

test('gathering: readers wait while too few answer, are told so, and go on when they are back', async (t) => {
  const world = new World(2);
  const gathering = world.gathering(2);
  const ledger = await open(t, await memoryPlace(), gathering);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  world.silent.add(0);
  for (let i = 1; i < 5; i += 1) await ledger.write(() => [note(`${i}`)]);
  await gathering.poll();
  assert.equal(ledger.published?.size, 1);
  assert.deepEqual(reasons(gathering), []);
  world.now += 60;
  assert.deepEqual(reasons(gathering), [
    '4 entries are not shown yet: 1 of 2 witnesses have cosigned the newest head.',
    'Witness witness.example/w0 does not answer.',
  ]);
  world.silent.clear();
  await gathering.poll();
  assert.equal(ledger.published?.size, 5);
  assert.deepEqual(namesOn(ledger), [name(0), name(1)]);
  assert.deepEqual(reasons(gathering), []);
});

test('gathering: a lying witness counts as nothing', async (t) => {
  const world = new World(2);
  const gathering = world.gathering(2);
  const ledger = await open(t, await memoryPlace(), gathering);
  const own = { name: name(1), signer: signerOf(1) };
  const lies: readonly ((head: Uint8Array) => string)[] = [
    () => '',
    (head) => lineOn(head, { ...own, time: world.now - 601 }),
    (head) => lineOn(head, { ...own, time: world.now + 600 }),
    (head) => lineOn(head, { ...own, text: `${ORIGIN}\n7\nAAAA\n` }),
    (head) => lineOn(head, { ...own, signer: signerOf(0) }),
    // Of the other witness, which counts once.
    (head) => lineOn(head, { name: name(0), signer: signerOf(0) }),
  ];
  for (const lie of lies) {
    world.lies.set(1, lie);
    await ledger.write(() => [ledger.nextSeq === 0 ? GENESIS_DRAFT : note('x')]);
    await gathering.poll();
    assert.equal(ledger.published, undefined);
  }
  world.now += 60;
  assert.match(reasons(gathering).join(), /w1 answers without a valid and current line/);
  world.lies.clear();
  await gathering.poll();
  assert.deepEqual(namesOn(ledger), [name(0), name(1)]);
});

test('gathering: lines are renewed before they are stale, and stale ones are reported', async (t) => {
  const world = new World(1);
  const gathering = world.gathering(1);
  const ledger = await open(t, await memoryPlace(), gathering);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  const [first] = gathering.statuses;
  assert.deepEqual(first, {
    name: name(0),
    url: url(0),
    size: 1,
    time: NOON,
    failure: null,
  });
  await turns();
  const asked = world.asked[0] ?? 0;
  world.now += 299;
  await gathering.poll();
  assert.equal(world.asked[0], asked, 'young enough');
  world.now += 1;
  await gathering.poll();
  assert.equal(world.asked[0], asked + 1);
  assert.equal(gathering.statuses[0]?.time, NOON + 300);
  const renewed = ledger.published?.note;
  world.silent.add(0);
  world.now += 601;
  await gathering.poll();
  assert.deepEqual(ledger.published?.note, renewed, 'what was shown is not taken back');
  world.now += 60;
  assert.match(reasons(gathering).join(), /^The lines on the published head are stale: 0 of 1 /);
});

test('gathering: enough that are quick need not wait for one that is slow', async (t) => {
  const world = new World(3);
  world.gates[2]?.shut();
  const gathering = world.gathering(2, { timing: { ...TIMING, graceMs: 1 } });
  const ledger = await open(t, await memoryPlace(), gathering);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  assert.deepEqual(namesOn(ledger), [name(0), name(1)]);
  await ledger.write(() => [note('x')]);
  await ledger.whenPublished(2);
  await ledger.write(() => [note('y')]);
  await ledger.whenPublished(3);
  assert.equal(world.asked[2], 1, 'one question at a time');
  world.gates[2]?.open();
  while (gathering.statuses[2]?.size !== 3) await turns(1);
  assert.equal(world.asked[2], 2, 'the one that was passed over is not asked about');
  await gathering.poll();
  assert.deepEqual(namesOn(ledger), [name(0), name(1), name(2)]);
});

test('gathering: with none required lines come after the head', async (t) => {
  const world = new World(2);
  world.gates.forEach((gate) => gate.shut());
  const gathering = world.gathering(0);
  const ledger = await open(t, await memoryPlace(), gathering);
  await ledger.write(() => [GENESIS_DRAFT]);
  assert.equal(ledger.published?.size, 1);
  assert.deepEqual(namesOn(ledger), []);
  world.gates.forEach((gate) => gate.open());
  await ledger.askWitnesses();
  await gathering.poll();
  assert.deepEqual(namesOn(ledger), [name(0), name(1)]);
  world.silent.add(0).add(1);
  await ledger.write(() => [note('x')]);
  assert.equal(ledger.published.size, 2);
});

test('gathering: a witness that has more of the log, or another history, is reported at once', async (t) => {
  const world = new World(2);
  const longer = await open(t, await memoryPlace(), world.gathering(2));
  await longer.write(() => [GENESIS_DRAFT]);
  await longer.write(() => [note('one'), note('two')]);
  await longer.whenPublished(3);
  const gathering = world.gathering(2);
  const ledger = await open(t, await memoryPlace(), gathering);
  await ledger.write(() => [GENESIS_DRAFT]);
  await gathering.poll();
  assert.equal(ledger.published, undefined);
  assert.deepEqual(
    reasons(gathering),
    [0, 1].map(
      (i) => `Witness ${name(i)} has cosigned a larger tree of this log than there is here.`,
    ),
  );
  await ledger.write(() => [note('other'), note('history')]);
  await gathering.poll();
  assert.equal(ledger.published, undefined);
  assert.deepEqual(
    reasons(gathering),
    [0, 1].map((i) => `Witness ${name(i)} does not cosign this log's newest head.`),
  );
});

test('gathering: what was shown is in its file, and counts after a restart where it is enough', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-gathering-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const shownNote = join(folder, 'shown');
  const world = new World(2);
  const place = await memoryPlace();
  const ledger = await open(t, place, world.gathering(1, { shownNote }));
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.whenPublished(1);
  assert.ok((await readFile(shownNote)).equals(ledger.published?.note ?? Buffer.alloc(0)));
  world.silent.add(0).add(1);
  await ledger.write(() => [note('x')]);
  const again = await open(t, place, world.gathering(1, { shownNote }));
  assert.equal(again.published?.size, 1);
  const silentOne = (await readFile(shownNote)).toString().split('\n').slice(0, -2).join('\n');
  await writeFile(shownNote, `${silentOne}\n`);
  const stricter = await open(t, place, world.gathering(2, { shownNote }));
  assert.equal(stricter.published, undefined, 'one line is not two');
  for (const bytes of ['', 'no note', Buffer.alloc(100, 0xff)]) {
    await writeFile(shownNote, bytes);
    const damaged = await open(t, place, world.gathering(1, { shownNote }));
    assert.equal(damaged.published, undefined);
  }
});

test('gathering: more required than there are, or one key twice, is no config', () => {
  const world = new World(2);
  assert.throws(() => world.gathering(3), { name: 'Fault', code: 'bad_config' });
  const [witness] = world.witnesses;
  const twice = [url(0), url(1)].map((each) => peerOf(each, witness as Witness));
  const same = (): Gathering => world.gathering(1, { witnesses: twice });
  assert.throws(same, { name: 'Fault', code: 'bad_config' });
  assert.doesNotThrow(() => world.gathering(0, { witnesses: [] }));
});

test('gathering: nobody is asked after it is stopped, and what is under way is given up', async (t) => {
  const world = new World(1);
  const gathering = world.gathering(1);
  const ledger = await open(t, await memoryPlace(), gathering);
  world.gates[0]?.shut();
  await ledger.write(() => [GENESIS_DRAFT]);
  await turns();
  assert.equal(world.asked[0], 1);
  await gathering.stop();
  await ledger.askWitnesses();
  assert.equal(ledger.published, undefined);
  await gathering.poll();
  assert.equal(world.asked[0], 1);
  world.gates[0]?.open();
});

/** The checkpoint that a witness of the world holds. */
function heldBy(world: World): (at: string) => Promise<Uint8Array> {
  return async (at) => {
    const i = world.witnesses.findIndex((_, each) => at.startsWith(`${url(each)}/`));
    const head = await world.witnesses[i]?.headAt(at.split('/').at(-2) ?? '');
    if (head === undefined) throw new Fault('not_found', 'checkpoint');
    return head.note;
  };
}

test('gathering: a witness that holds a larger head of our key, or another one: nothing is written or shown', async (t) => {
  for (const required of [0, 1]) {
    for (const writes of [0, 8]) {
      const world = new World(2);
      world.silent.add(1);
      const today = await filledLedger(await memoryPlace(), 9);
      const [witness] = world.witnesses;
      const held = formatWitnessRequest({
        old: 0,
        proof: [],
        checkpoint: today.newest?.note ?? new Uint8Array(),
      });
      const place = await memoryPlace();
      await filledLedger(place, 5);
      const gathering = world.gathering(required, { fetchHead: heldBy(world) });
      if (writes === 0) await witness?.addCheckpoint(held);
      const ledger = await open(t, place, gathering);
      if (writes > 0) {
        // The witness was not reached at the start; this has another history by now, of the same key.
        world.silent.add(0);
        for (let i = 0; i < writes; i += 1) await ledger.write(() => [note(`other ${i}`)]);
        world.silent.clear();
        await witness?.addCheckpoint(held);
      }
      const shown = ledger.published?.size;
      await ledger.askWitnesses();
      await gathering.poll();
      const code = writes === 0 ? 'ledger_behind' : 'ledger_differs';
      assert.equal(ledger.blocked?.code, code);
      assert.match(ledger.blocked?.message ?? '', /witness witness.example\/w0/);
      await assert.rejects(
        ledger.write(() => [note('x')]),
        { code },
      );
      await assert.rejects(ledger.whenPublished(99), { code });
      assert.equal(ledger.published?.size, shown);
      assert.match(
        recordConcerns(ledger)[0]?.reason ?? '',
        /^(Nothing is written|The record cannot be read):/,
      );
    }
  }
});

test('gathering: a head that another key signed is a concern and no more', async (t) => {
  const world = new World(1);
  const others = checkpointSigner(nodeSha256, ORIGIN, testSigner(9));
  world.refuses.add(0);
  const gathering = world.gathering(0, {
    fetchHead: () => Promise.resolve(others.sign(99, someLeaf(1))),
  });
  const ledger = await open(t, await memoryPlace(), gathering);
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.askWitnesses();
  assert.deepEqual(reasons(gathering), [
    "Witness witness.example/w0 does not cosign this log's newest head.",
  ]);
  await ledger.write(() => [note('x')]);
  assert.equal(ledger.blocked, undefined);
  assert.equal(ledger.published?.size, 2);
});
