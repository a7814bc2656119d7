import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { contentHash, hashHex, leafHash } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { parseNote } from '@assay/core/log/note';
import { quorumOf } from '@assay/core/round/quorum';
import { type Statement, statementMessage } from '@assay/core/report/statement';
import { formatTime, parseTime } from '@assay/core/time/time';
import { parseTlogProof } from '@assay/core/log/tlog-proof';
import { verifyInclusion } from '@assay/core/log/tree';
import { cosignsOf, dissentsOf } from '@assay/core/view/cosigns';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { OpenReports } from '@assay/node/cosign/open-reports';
import type { Published } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Received } from '@assay/node/cosign/received';
import type { ReceptionParts } from '@assay/node/cosign/reception';
import { contents, note, testSigner, turns } from '../ledger/ledger-fixture.ts';
import { CLAIMS_RULE, MIRROR, RECORD, requireVerified } from '../fixture/round-fixture.ts';
import {
  CosignedWorld,
  FROZEN,
  LATE,
  OTHER,
  RELEASE,
  SEEDS,
  setOf,
  type TestRecounter,
  WEEK,
} from './cosigner-fixture.ts';

const DOWN = { kind: 'failed', reason: 'unreachable', detail: 'down' } as const;

interface Receiving {
  readonly world: CosignedWorld;
  readonly recounters: readonly [TestRecounter, TestRecounter];
}

/** A world with a reception, two co-signers, and the provisional of its week. */
async function receiving(): Promise<Receiving> {
  const world = await CosignedWorld.open();
  const recounters = [world.recounter(SEEDS[0]), world.recounter(SEEDS[1])] as const;
  world.receive();
  world.at(RELEASE);
  await world.round();
  return { world, recounters };
}

const cosignersOf = (recounters: readonly TestRecounter[]): TestRecounter['cosigner'][] =>
  recounters.map(({ cosigner }) => cosigner);

const quorums = (world: CosignedWorld): readonly string[] =>
  world.rows().map((row) => {
    const { shown } = world.ledger;
    const { have, required } = quorumOf(shown, row);
    return `${row.report.status} ${have}/${required} ${dissentsOf(shown, row.hash).length}`;
  });

const reasons = ({ reception }: CosignedWorld): readonly string[] =>
  (reception?.concerns() ?? []).map(({ reason }) => reason);

/** What is refused, in few words. */
function refusal(received: Received): string {
  return 'at' in received ? `${received.kind} ${received.at}` : received.kind;
}

/** A word that says something else, its statement signed again. */
function saying(
  word: StatementEntry,
  change: Partial<Statement>,
  seed: number = SEEDS[0],
): StatementEntry {
  const statement = { ...word.statement, ...change };
  const signature = formatHex(testSigner(seed).sign(statementMessage(statement)));
  return { ...word, statement, signature };
}

/** Fails unless an answer proves that its entry, with this word, stands in the checkpoint that is shown. */
async function requireProof(world: CosignedWorld, answer: Received): Promise<void> {
  assert.ok(answer.kind === 'recorded' || answer.kind === 'known', answer.kind);
  const { index, hashes, checkpoint } = parseTlogProof(answer.proof);
  const { size, root } = parseCheckpoint(parseNote(checkpoint).text);
  assert.equal(index, answer.seq);
  assert.deepEqual(checkpoint, world.ledger.published?.note);
  const bytes = await world.ledger.entry(answer.seq);
  assert.ok(bytes !== undefined);
  const leaf = leafHash(nodeSha256, bytes);
  assert.equal(answer.leaf, hashHex(leaf));
  verifyInclusion(nodeSha256, leaf, index, size, hashes, root);
}

test('reception: everybody is heard on every report, once, with a proof', async () => {
  const { world, recounters } = await receiving();
  const first = await world.bring(cosignersOf(recounters));
  world.at(FROZEN);
  await world.round();
  assert.equal(world.reception?.waiting, 1);
  const second = await world.bring(cosignersOf(recounters));
  assert.deepEqual(quorums(world), ['provisional 2/2 0', 'final 2/2 0']);
  for (const each of [...first, ...second]) assert.equal(each.kind, 'recorded');
  await requireProof(world, second[1] as Received);
  assert.ok('quorum' in second[1]! && second[1].quorum.have === 2);
  assert.equal(world.reception?.waiting, 0);
  assert.deepEqual(world.reception?.concerns(), []);
  await requireVerified(world);
});

test('reception: the same statement again has the same answer, also after a restart', async () => {
  const { world, recounters } = await receiving();
  const word = await world.word(recounters[0].cosigner);
  const recorded = await world.reception?.receive(word);
  assert.ok(recorded?.kind === 'recorded');
  const before = await contents(world.place.store);
  const known = await world.reception?.receive(word);
  assert.deepEqual({ ...known, kind: 'recorded' }, recorded);
  const again = await CosignedWorld.open(world.place, world.blobs);
  again.at(RELEASE);
  const later = await again.receive().receive(word);
  assert.deepEqual(later, known);
  await requireProof(again, later);
  assert.deepEqual(await contents(world.place.store), before);
});

test('reception: statements that come together are taken once each', async () => {
  const { world, recounters } = await receiving();
  const words = [
    await world.word(recounters[0].cosigner),
    await world.word(recounters[1].cosigner),
  ] as const;
  const size = world.ledger.nextSeq;
  const asked = [words[0], words[1], words[0], words[1], words[0]];
  const { reception } = world;
  assert.ok(reception !== undefined);
  const answers = await Promise.all(asked.map((word) => reception.receive(word)));
  assert.deepEqual(answers.map(({ kind }) => kind).toSorted(), [
    'known',
    'known',
    'known',
    'recorded',
    'recorded',
  ]);
  assert.equal(world.ledger.nextSeq, size + 2);
});

test('reception: a key of no set, a report that is not there, another log: distinguished, nothing written', async () => {
  const { world, recounters } = await receiving();
  const word = await world.word(recounters[0].cosigner);
  const size = world.ledger.nextSeq;
  const receive = async (given: StatementEntry): Promise<string> =>
    refusal((await world.reception?.receive(given)) as Received);
  const stranger = formatHex(testSigner(40).publicKey);
  assert.equal(await receive(saying(word, { cosigner: stranger }, 40)), 'unknown_cosigner');
  const { report, print } = word.statement;
  const none = 'ab'.repeat(32);
  const elsewhere = print.replace(report, none);
  assert.equal(
    await receive(saying(word, { report: none as never, print: elsewhere })),
    'not_found',
  );
  // A series of another log, and a period that is no date.
  assert.equal(
    await receive(saying(word, { print: `${print.slice(0, 16)}${none}${print.slice(80)}` })),
    'not_found',
  );
  const never = `${print.slice(0, 240)}ffffff7f${print.slice(248)}`;
  assert.equal(await receive(saying(word, { print: never })), 'not_found');
  assert.equal(await receive(saying(word, { log: none as never })), 'refused log');
  assert.equal(await receive(saying(word, { set: none as never })), 'refused set');
  assert.equal(world.ledger.nextSeq, size);
});

test('reception: a bad signature is reported as such, before anything is read', async () => {
  const { world, recounters } = await receiving();
  const word = await world.word(recounters[0].cosigner);
  const size = world.ledger.nextSeq;
  let read = 0;
  const { ledger } = world;
  const counted: ReceptionParts['ledger'] = proxied(ledger, {
    entry: (seq) => {
      read += 1;
      return ledger.entry(seq);
    },
  });
  const reception = world.receive({}, counted);
  for (const name of ['signature', 'print_signature'] as const) {
    const bad = { ...word, [name]: '00'.repeat(64) };
    const answer = await reception.receive(bad);
    assert.equal(refusal(answer), `bad_signature ${name}`);
    assert.equal(read, 0);
  }
  assert.equal(world.ledger.nextSeq, size);
  // What was refused has left no trace: the good word is taken.
  assert.equal((await reception.receive(word)).kind, 'recorded');
  // Nor is it told of the co-signer whose word is there.
  for (const name of ['signature', 'print_signature'] as const) {
    const bad = { ...word, [name]: '00'.repeat(64) };
    assert.equal(refusal(await reception.receive(bad)), `bad_signature ${name}`);
  }
  const other = saying(word, { after: { height: 1, hash: '00'.repeat(32) as never } }, SEEDS[1]);
  assert.equal(refusal(await reception.receive(other)), 'bad_signature signature');
  assert.deepEqual(world.failed, []);
});

test('reception: the signature of a dissent is asked for too, before its co-signer is named', async () => {
  const { world, recounters } = await receiving();
  recounters[0].source.show(OTHER);
  const word = await world.word(recounters[0].cosigner);
  const bad = { ...word, dissent_signature: '00'.repeat(64) };
  for (const kind of ['recorded', 'known']) {
    assert.equal(
      refusal((await world.reception?.receive(bad)) as Received),
      'bad_signature dissent_signature',
    );
    assert.equal((await world.reception?.receive(word))?.kind, kind);
  }
  assert.deepEqual(world.failed, []);
});

/** A ledger with something else in some places. */
function proxied(
  ledger: CosignedWorld['ledger'],
  change: Partial<ReceptionParts['ledger']>,
): ReceptionParts['ledger'] {
  return new Proxy(ledger, {
    get(target, name) {
      const descriptor = Object.getOwnPropertyDescriptor(change, name);
      if (descriptor !== undefined) return Reflect.get(change, name) as unknown;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

test('reception: another statement on the same report is refused, whichever comes second', async () => {
  const { world, recounters } = await receiving();
  const word = await world.word(recounters[0].cosigner);
  const other = world.recounter(SEEDS[0]);
  other.source.show(OTHER);
  const dissent = await world.word(other.cosigner);
  assert.equal(dissent.statement.verdict, 'dissent');
  const answers = await Promise.all(
    [word, dissent].map((each) => world.reception?.receive(each) as Promise<Received>),
  );
  assert.deepEqual(answers.map(refusal), ['recorded', 'refused report']);
  const [, second] = answers;
  assert.ok(second !== undefined && 'found' in second);
  assert.match(second.found, /^entry \d+$/);
  assert.deepEqual(quorums(world), ['provisional 1/2 0']);
  assert.match(world.failed.join(), /^seed 21 LAYOFFS 2026-07-25: report: expected nothing said/);
  // The same agreement, signed a second later, is another word too.
  const { statement } = word;
  const later = saying(word, { signed_at: formatTime(parseTime(statement.signed_at) + 1) });
  assert.equal(refusal((await world.reception?.receive(later)) as Received), 'refused report');
});

test('reception: an abstention is noted, known again, and binds while it is remembered', async () => {
  const { world, recounters } = await receiving();
  const [silent] = recounters;
  silent.source.say(RECORD, DOWN);
  silent.source.say(MIRROR, DOWN);
  world.at(FROZEN);
  await world.round();
  world.clock.now = parseTime(LATE) + 1;
  const word = await world.word(silent.cosigner);
  assert.equal(word.statement.verdict, 'abstain');
  const size = world.ledger.nextSeq;
  for (let i = 0; i < 2; i += 1) {
    assert.equal((await world.reception?.receive(word))?.kind, 'noted');
  }
  assert.deepEqual(world.heard, ['seed 21 abstain'], 'told once');
  const agreement = await world.word(
    world.recounter(SEEDS[0], { now: () => parseTime(FROZEN) }).cosigner,
  );
  assert.equal(refusal((await world.reception?.receive(agreement)) as Received), 'refused report');
  assert.equal(world.ledger.nextSeq, size);
  assert.deepEqual(
    reasons(world).at(-1),
    `LAYOFFS ${WEEK}, final since ${FROZEN}, has 0 of 2 co-signatures. seed 22 has said nothing, and the time for reads is over. seed 21 abstained: it could read nothing (unread).`,
  );
  const words = await world.reception?.words(word.statement.report);
  assert.deepEqual(words?.abstentions, [
    { name: 'seed 21', key: silent.cosigner.key, reason: 'unread' },
  ]);
});

test('reception: the statements on a report, in the order of the log', async () => {
  const { world, recounters } = await receiving();
  recounters[0].source.show(OTHER);
  await world.bring(cosignersOf(recounters));
  const [row] = world.rows();
  assert.ok(row !== undefined);
  const words = await world.reception?.words(row.hash);
  assert.deepEqual(
    words?.words.map(({ name, word }) => `${name} ${word.statement.verdict}`),
    ['seed 21 dissent', 'seed 22 agree'],
  );
  assert.deepEqual(words?.words[1]?.word, await world.word(recounters[1].cosigner));
  assert.deepEqual(words?.quorum, quorumOf(world.ledger.shown, row));
  for (const other of [hashHex(contentHash(nodeSha256, new Uint8Array(1))), world.ledger.log]) {
    assert.equal(await world.reception?.words(other as never), undefined);
  }
});

test('reception: while nothing is shown of it, a statement is reported as committed, and no more', async () => {
  const { world, recounters } = await receiving();
  const { ledger } = world;
  const held: { published: Published | undefined } = { published: ledger.published };
  const holding = proxied(ledger, {
    get published() {
      return held.published;
    },
    entry: (seq) =>
      seq < (held.published?.size ?? 0) ? ledger.entry(seq) : Promise.resolve(undefined),
  });
  const reception = world.receive({ publishMs: 1 }, holding);
  const word = await world.word(recounters[0].cosigner);
  // The hook of the ledger tells of a publication that this one has not shown.
  world.reception = undefined;
  const first = await reception.receive(word);
  assert.ok(first.kind === 'unpublished');
  assert.equal(first.seq, ledger.nextSeq - 1);
  assert.deepEqual(await reception.receive(word), first);
  held.published = ledger.published;
  const known = await reception.receive(word);
  assert.equal(known.kind, 'known');
  await requireProof(world, known);
  // Published while the answer waits: it waits for that, and for no longer.
  held.published = ledger.published;
  const patient = world.receive({ publishMs: 600_000 }, holding);
  world.reception = undefined;
  const answering = patient.receive(await world.word(recounters[1].cosigner));
  await turns(20);
  held.published = ledger.published;
  patient.changed(held.published?.size ?? 0, new Set());
  const shown = await answering;
  assert.equal(shown.kind, 'recorded');
  await requireProof(world, shown);
});

test('reception: a stop lets go of the answers that wait', async () => {
  const { world, recounters } = await receiving();
  const { published } = world.ledger;
  const reception = world.receive({ publishMs: 600_000 }, proxied(world.ledger, { published }));
  const word = await world.word(recounters[0].cosigner);
  world.reception = undefined;
  const answer = reception.receive(word);
  await turns(20);
  reception.stop();
  assert.equal((await answer).kind, 'unpublished');
});

test('reception: a log that takes no entries says so, and knows what it has', async () => {
  const { world, recounters } = await receiving();
  const words = [
    await world.word(recounters[0].cosigner),
    await world.word(recounters[1].cosigner),
  ] as const;
  await world.reception?.receive(words[0]);
  world.place.store.fail = 'failed';
  await assert.rejects(world.ledger.write(() => [note('lost')]));
  assert.notEqual(world.ledger.blocked, undefined);
  assert.equal((await world.reception?.receive(words[1]))?.kind, 'halted');
  assert.equal((await world.reception?.receive(words[0]))?.kind, 'known');
});

test('reception: a write that fails is not reported as recorded', async () => {
  const { world, recounters } = await receiving();
  const word = await world.word(recounters[0].cosigner);
  for (const fail of ['failed'] as const) {
    world.place.store.fail = fail;
    // Where the guard alone has the entry, the next start replays it.
    world.place.guard.fail = fail;
    assert.equal((await world.reception?.receive(word))?.kind, 'halted');
  }
  assert.deepEqual(world.heard, []);
  world.place.store.fail = undefined;
  world.place.guard.fail = undefined;
  const again = await CosignedWorld.open(world.place, world.blobs);
  again.at(RELEASE);
  assert.equal((await again.receive().receive(word)).kind, 'recorded');
});

test('reception: so many statements at once and a minute, of those that change something', async () => {
  const { world, recounters } = await receiving();
  const word = await world.word(recounters[0].cosigner);
  const reception = world.receive({ wordsPerMinute: 1 });
  const bad = (i: number): StatementEntry =>
    saying(word, { signed_at: formatTime(parseTime(RELEASE) + 500 + i) });
  // What is not signed by it counts for nobody, and what it signed and the log may not hold neither.
  for (let i = 0; i < 5; i += 1) {
    await reception.receive({ ...word, signature: '00'.repeat(64) });
    assert.equal(refusal(await reception.receive(bad(i))), 'refused signed_at');
  }
  assert.equal((await reception.receive(word)).kind, 'recorded');
  world.at(FROZEN);
  await world.round();
  const next = await world.word(recounters[0].cosigner);
  world.clock.now = parseTime(RELEASE) + 20;
  assert.deepEqual(await reception.receive(next), { kind: 'busy', retryAfterS: 40 });
  world.at(FROZEN);
  assert.equal((await reception.receive(next)).kind, 'recorded');
  const narrow = world.receive({ atOnce: 0 });
  const other = await world.word(recounters[1].cosigner);
  assert.deepEqual(await narrow.receive(other), { kind: 'busy', retryAfterS: 1 });
  assert.equal((await narrow.receive(word)).kind, 'known');
});

test('reception: an old abstention that anybody brings costs its co-signer nothing', async () => {
  const { world, recounters } = await receiving();
  const [silent] = recounters;
  const reception = world.receive({ periods: 1, wordsPerMinute: 1 });
  silent.source.say(RECORD, DOWN);
  silent.source.say(MIRROR, DOWN);
  world.clock.now = parseTime(LATE) + 1;
  const old = await world.word(silent.cosigner);
  const shown = { '2026-07-25': 197_000, '2026-08-01': 199_000 };
  world.source.show(shown);
  world.at('2026-08-14T12:30:00Z');
  await world.round('2026-08-01');
  for (let i = 0; i < 5; i += 1) assert.equal((await reception.receive(old)).kind, 'noted');
  assert.deepEqual(world.heard, []);
  silent.source.show(shown);
  const word = await world.word(silent.cosigner, world.rows('2026-08-01').at(-1));
  assert.equal((await reception.receive(word)).kind, 'recorded');
});

test('reception: an abstention on a report on which everybody has spoken costs its co-signer nothing when anybody brings it again', async () => {
  const seeds = [21, 22, 23];
  const blobs = new MemoryBlobStore();
  const set = { ...setOf(seeds), threshold: 2 };
  const world = await CosignedWorld.open(undefined, blobs, CLAIMS_RULE, set);
  const reception = world.receive({ wordsPerMinute: 3 });
  const [first, second, silent] = seeds.map((seed) => world.recounter(seed)) as [
    TestRecounter,
    TestRecounter,
    TestRecounter,
  ];
  silent.source.say(RECORD, DOWN);
  silent.source.say(MIRROR, DOWN);
  world.at(FROZEN);
  await world.round();
  await world.bring([first.cosigner, second.cosigner]);
  world.clock.now = parseTime(LATE) + 1;
  const word = await world.word(silent.cosigner);
  assert.equal((await reception.receive(word)).kind, 'noted');
  const heard = world.heard.length;
  for (let i = 0; i < 5; i += 1) {
    assert.deepEqual(reasons(world), []);
    assert.equal((await reception.receive(word)).kind, 'noted');
    assert.equal(world.heard.length, heard);
  }
});

test('reception: while older periods are searched that is said, and the newest report is named all the same', async () => {
  const { world } = await receiving();
  world.at(FROZEN);
  await world.round();
  const shown = { '2026-07-25': 197_000, '2026-08-01': 199_000 };
  world.source.show(shown);
  world.at('2026-08-14T12:30:00Z');
  await world.round('2026-08-01');
  world.clock.now += 7 * 86_400;
  // oxlint-disable-next-line typescript/unbound-method -- it is called with its object
  const { search } = OpenReports.prototype;
  let go: (() => void) | undefined;
  OpenReports.prototype.search = function slow(this: OpenReports, state, { signal }) {
    const pause = (): Promise<void> =>
      new Promise((resolve) => {
        go = resolve;
      });
    return search.call(this, state, { pause, ...(signal === undefined ? {} : { signal }) });
  };
  try {
    const reception = world.receive({ periods: 1 });
    const searching = /are being looked through since the start/;
    assert.match(reasons(world).at(-1) ?? '', searching);
    assert.equal(reception.isSettled, false);
    go?.();
    await turns();
    assert.equal(reception.isSettled, true);
    assert.ok(reasons(world).every((reason) => !searching.test(reason)));
    assert.ok(reasons(world).some((reason) => reason.includes('earlier report')));
  } finally {
    OpenReports.prototype.search = search;
  }
});

test('reception: a dissent is recorded, and the final that it contradicts is reported', async () => {
  const { world, recounters } = await receiving();
  recounters[1].source.show(OTHER);
  await world.bring(cosignersOf(recounters));
  world.at(FROZEN);
  await world.round();
  await world.bring(cosignersOf(recounters));
  assert.deepEqual(quorums(world), ['provisional 1/2 1', 'final 1/2 1']);
  assert.equal(world.reception?.waiting, 1);
  assert.deepEqual(reasons(world), []);
  world.clock.now = parseTime(FROZEN) + 6 * 3600 + 1;
  assert.deepEqual(world.reception?.concerns(), [
    {
      level: 'degraded',
      reason: `LAYOFFS ${WEEK}, final since ${FROZEN}, has 1 of 2 co-signatures. seed 22 dissents.`,
    },
  ]);
  await requireVerified(world);
});

test('reception: who is silent is reported, of each the newest report', async () => {
  const { world, recounters } = await receiving();
  world.clock.now += 3600;
  assert.deepEqual(reasons(world), []);
  world.clock.now += 1;
  assert.deepEqual(reasons(world), [
    `Co-signer seed 22 has said nothing about LAYOFFS ${WEEK} for 3601 s.`,
    `Co-signer seed 21 has said nothing about LAYOFFS ${WEEK} for 3601 s.`,
  ]);
  await world.bring([recounters[0].cosigner]);
  assert.equal(reasons(world).length, 1);
  world.at(FROZEN);
  await world.round();
  world.clock.now += 3601;
  assert.equal(
    reasons(world)[0],
    `Co-signer seed 22 has said nothing about LAYOFFS ${WEEK} for 3601 s, nor about 1 more.`,
  );
  await world.bring([recounters[1].cosigner]);
  await world.bring([recounters[1].cosigner], world.rows()[0]);
  assert.deepEqual(reasons(world), [
    `Co-signer seed 21 has said nothing about LAYOFFS ${WEEK} for 3601 s.`,
  ]);
});

test('reception: a final without its quorum is reported beyond the window of periods', async () => {
  const { world, recounters } = await receiving();
  world.receive({ periods: 1 });
  world.at(FROZEN);
  await world.round();
  await world.bring([recounters[0].cosigner]);
  world.source.show({ '2026-07-25': 197_000, '2026-08-01': 199_000 });
  world.at('2026-08-06T12:30:00Z');
  await world.round('2026-08-01');
  assert.ok(
    reasons(world).includes(
      `LAYOFFS ${WEEK}, final since ${FROZEN}, has 1 of 2 co-signatures. seed 22 has said nothing.`,
    ),
  );
  // Beyond its window the provisional is nobody's any more.
  assert.equal(world.reception?.waiting, 2);
  const again = await CosignedWorld.open(world.place, world.blobs);
  again.clock.now = world.clock.now;
  again.receive({ periods: 1 });
  await again.bring([again.recounter(SEEDS[1]).cosigner], again.rows()[1]);
  assert.equal(quorums(again)[1], 'final 2/2 0');
  assert.deepEqual(reasons(again), []);
});

test('reception: a void and a correction without their quorum are reported like a final', async () => {
  const { world } = await receiving();
  world.at(FROZEN);
  await world.round();
  world.source.show(OTHER);
  world.at('2026-07-31T00:00:00Z');
  await world.correct();
  world.receive({ silentAfterS: 1e9 });
  world.clock.now += 6 * 3600 + 1;
  assert.deepEqual(reasons(world), [
    `LAYOFFS ${WEEK}, corrected since 2026-07-31T00:00:00Z, has 0 of 2 co-signatures. ` +
      'seed 22 has said nothing. seed 21 has said nothing. 1 earlier report of it lacks them too.',
  ]);
  const other = await CosignedWorld.open();
  other.receive({ silentAfterS: 1e9 });
  other.source.say(MIRROR, DOWN);
  other.at(RELEASE);
  await other.round();
  other.at(LATE);
  assert.equal((await other.round())?.report.status, 'void');
  other.clock.now += 6 * 3600 + 1;
  assert.deepEqual(reasons(other), [
    `LAYOFFS ${WEEK}, void since ${LATE}, has 0 of 2 co-signatures. seed 22 has said nothing, and the ` +
      'time for reads is over. seed 21 has said nothing, and the time for reads is over.',
  ]);
});

test('reception: a statement that was signed before the newest entries is taken as it was signed', async () => {
  const { world, recounters } = await receiving();
  const word = await world.word(recounters[0].cosigner);
  await world.ledger.write(() => [note('one more')]);
  assert.equal((await world.reception?.receive(word))?.kind, 'recorded');
  const [{ seq: _, at: __, ...body } = {} as never] = cosignsOf(
    world.ledger.shown,
    word.statement.report,
  );
  assert.deepEqual({ ...body, dissent_signature: null }, word);
});
