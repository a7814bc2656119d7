import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cosignatureMessage, formatCosignature } from '@assay/core/log/cosignature';
import { parseEvidence } from '@assay/core/proof/evidence';
import type { HashHex } from '@assay/core/hash/hash';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import type { KeyEntry } from '@assay/core/kind/key';
import {
  formatNote,
  formatNoteKey,
  NOTE_COSIGNATURE,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { formatPrint, printOf } from '@assay/core/report/print';
import { formatTime, parseTime } from '@assay/core/time/time';
import { formatWitnessRequest } from '@assay/node/witness/server/witness-request';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import type { ReportRow } from '@assay/core/view/reports';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { MOST_OF_PLACE } from '@assay/node/cosign/counted-reports';
import { enactCosigners } from '@assay/node/cosign/enact-cosigners';
import { enactRule } from '@assay/node/rule/rule-file';
import type { FindingCode } from '@assay/node/recounter/finding-store';
import { startRecounter } from '@assay/node/recounter/recounter';
import {
  CosignedWorld,
  setOf,
  FROZEN,
  LATE,
  OTHER,
  RELEASE,
  SEEDS,
  SHOWN,
  WEEK,
} from '../cosign/cosigner-fixture.ts';
import {
  CHECKPOINTS,
  genesisBody,
  memoryPlace,
  openAt,
  REPORT_SIGNER,
  someLeaf,
  testSigner,
} from '../ledger/ledger-fixture.ts';
import { consistencyProof } from '@assay/verifier/reader/tile-proofs';
import { chain, draftsOf } from '../../verifier/fixture/published.ts';
import { hexOf, promised, signedKey } from '../../verifier/fixture/rotated-log.ts';
import { ChangingKeys } from '../mirror/changing-ledger.ts';
import { signedLog } from '../mirror/mirror-fixture.ts';
import { CLAIMS_RULE, MIRROR, RECORD } from '../fixture/round-fixture.ts';
import {
  Disk,
  heldOf,
  ownStatements,
  recounterOn,
  TestPublisher,
  type Through,
} from './recounter-world.ts';

const DOWN = { kind: 'failed', reason: 'unreachable', detail: 'down' } as const;

async function json(port: number, path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return (await response.json()) as Record<string, unknown>;
}

test('recounter: it agrees with what its own read gives, in its own log and the publisher’s', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  const { world } = publisher;
  world.at(RELEASE);
  const provisional = await world.round();
  assert.ok(provisional !== undefined);
  const looked = await running.follow();
  assert.equal(looked.trouble, undefined);
  assert.equal(looked.unposted, 0);
  assert.equal(heldOf(publisher, provisional, disk.key), 'agree');
  const again = await running.follow();
  assert.equal(again.size, world.ledger.published?.size);
  assert.equal(publisher.brought.length, 1, 'what stands in the log is not brought again');
  world.at(FROZEN);
  const final = await world.round();
  assert.equal(final?.report.status, 'final');
  await running.follow();
  assert.equal(heldOf(publisher, final, disk.key), 'agree');
  await running.close();
  assert.deepEqual(await ownStatements(disk), ['agree 197000', 'agree 197000']);
});

test('recounter: what its own read does not give it dissents from, and says so in its own log', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running, source } = await recounterOn(disk, publisher);
  source.show(OTHER);
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  assert.equal((await running.follow()).unposted, 0);
  assert.equal(heldOf(publisher, row, disk.key), 'dissent');
  await running.close();
  assert.deepEqual(await ownStatements(disk), ['dissent 198000']);
});

test('recounter: without reads that count it abstains, once, and the publisher hears it', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running, source } = await recounterOn(disk, publisher);
  source.say(RECORD, DOWN);
  source.say(MIRROR, DOWN);
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  assert.equal((await running.follow()).unposted, 0);
  assert.deepEqual(publisher.brought, [], 'it waits for its sources');
  world.clock.now = parseTime(LATE) + 1;
  await running.follow();
  assert.equal(publisher.brought.length, 1);
  source.show(SHOWN);
  // A publisher that starts anew has forgotten it: for a day at most.
  publisher.forget();
  const abstentions = async () => (await world.reception?.words(row.hash))?.abstentions.length;
  assert.equal(await abstentions(), 0);
  world.clock.now += 86_399;
  await running.follow();
  assert.equal(publisher.brought.length, 1);
  world.clock.now += 1;
  assert.equal((await running.follow()).unposted, 0);
  assert.equal(publisher.brought.length, 2);
  assert.equal(await abstentions(), 1);
  assert.equal(heldOf(publisher, row, disk.key), 'nothing');
  await running.close();
  assert.deepEqual(await ownStatements(disk), ['abstain null']);
});

test('recounter: a statement that the publisher refuses stays in its own log, and is a finding', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  publisher.manners = 'refuses';
  const disk = await Disk.make();
  const { running, source } = await recounterOn(disk, publisher);
  source.show(OTHER);
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  assert.equal((await running.follow()).unposted, 0, 'a refused word is not on its way');
  assert.ok(disk.findings.has('word_refused', row.hash));
  assert.match(disk.findings.open()[0]?.says ?? '', /status 409, error refused, at verdict/);
  await running.follow();
  assert.equal(publisher.brought.length, 1, 'it is not brought again at once');
  world.clock.now += 86_401;
  await running.follow();
  assert.equal(publisher.brought.length, 2);
  assert.ok(disk.findings.has('word_withheld', row.hash), 'a day later the log still lacks it');
  publisher.manners = 'takes';
  world.clock.now += 86_401;
  await running.follow();
  await running.follow();
  assert.equal(heldOf(publisher, row, disk.key), 'dissent');
  assert.deepEqual(
    disk.findings.open().filter(({ code }) => code.startsWith('word')),
    [],
  );
  await running.close();
});

test('recounter: a publisher that says yes and keeps nothing is found out', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  publisher.manners = 'drops';
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await running.follow();
  world.clock.now += 86_401;
  await running.follow();
  assert.ok(disk.findings.has('word_withheld', row.hash));
  await running.close();
});

test('recounter: while the publisher is down it reads on its calendar, and what it read counts', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const first = await recounterOn(disk, publisher);
  await first.running.follow();
  await publisher.down();
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  world.clock.now += 60;
  const looked = await first.running.follow();
  assert.match(looked.trouble ?? '', /could not be followed/);
  assert.equal((await disk.reads.of(CLAIMS, WEEK as never)).length, 1);
  await first.running.close();
  // After a restart, behind the window, its sources are down: it goes by what it read inside.
  world.at(FROZEN);
  const final = await world.round();
  await publisher.listen();
  const second = await recounterOn(disk, publisher);
  second.source.say(RECORD, DOWN);
  second.source.say(MIRROR, DOWN);
  assert.equal((await second.running.follow()).unposted, 0);
  assert.ok(row !== undefined && final !== undefined);
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
  assert.equal(heldOf(publisher, final, disk.key), 'agree');
  await second.running.close();
});

test('recounter: what it read inside the window is compared with a final that says otherwise', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running, source } = await recounterOn(disk, publisher);
  await running.follow();
  const { world } = publisher;
  world.at(RELEASE);
  await world.round();
  // It sees the sources after the publisher did, and the log only when the window is over.
  await publisher.down();
  source.show(OTHER);
  world.clock.now += 60;
  await running.follow();
  world.at(FROZEN);
  const final = await world.round();
  await publisher.listen();
  source.show(SHOWN);
  await running.follow();
  assert.ok(final !== undefined);
  assert.equal(heldOf(publisher, final, disk.key), 'dissent');
  await running.close();
});

test('recounter: a busy publisher is asked again, with the same bytes', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  publisher.manners = 'busy';
  const disk = await Disk.make();
  const first = await recounterOn(disk, publisher);
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  assert.equal((await first.running.follow()).unposted, 1);
  await first.running.close();
  publisher.manners = 'takes';
  world.clock.now += 100;
  const second = await recounterOn(disk, publisher);
  second.source.show(OTHER);
  assert.equal((await second.running.follow()).unposted, 0);
  await second.running.close();
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
  assert.equal(new Set(publisher.brought).size, 1);
});

test('recounter: a publisher that says nothing past its deadline is a finding, until it speaks', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  const { world } = publisher;
  world.at(RELEASE);
  await world.round();
  await running.follow();
  world.clock.now = parseTime(LATE) + 30 * 86_400;
  await running.follow();
  const about = `LAYOFFS ${WEEK}`;
  assert.ok(disk.findings.has('publisher_silent', about));
  assert.ok(
    disk.findings.open().some(({ code }) => code === 'peer_silent'),
    'the other of the set',
  );
  await world.round();
  await running.follow();
  assert.ok(!disk.findings.has('publisher_silent', about));
  await running.close();
});

test('recounter: a memory that lacks a statement of its own log, or of the publisher’s, signs nothing', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const first = await recounterOn(disk, publisher);
  const { world } = publisher;
  world.at(RELEASE);
  await world.round();
  await first.running.follow();
  await first.running.close();
  const { memory } = disk;
  disk.memory = new (memory.constructor as new () => typeof memory)();
  await assert.rejects(recounterOn(disk, publisher), { code: 'ledger_behind' });
  // With another log of its own the publisher's still has its word.
  const other = await Disk.make();
  const second = await recounterOn(other, publisher);
  world.at(FROZEN);
  await world.round();
  await second.running.follow();
  const [found] = other.findings.open();
  assert.equal(found?.code, 'own_word_unknown');
  const signed = other.signed.filter((text) => text.startsWith(PRINT_MAGIC));
  assert.deepEqual(signed, []);
  const status = await json(second.running.port, '/status');
  assert.equal(status['state'], 'degraded');
  await second.running.close();
  // A person who knows why says so; of that report it still says nothing.
  other.acknowledged.add(found.about as never);
  const third = await recounterOn(other, publisher);
  await third.running.follow();
  assert.ok(!other.findings.has('own_word_unknown', found.about));
  assert.deepEqual(await ownStatements(other), ['agree 197000']);
  await third.running.close();
});

test('recounter: a report that is ahead of its clock is waited for, and nobody is accused', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { world } = publisher;
  let slow = 3600;
  const { running } = await recounterOn(disk, publisher, { now: () => world.clock.now - slow });
  t.after(() => running.close());
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const about = {
    code: 'report_refused',
    about: row.hash,
    says: 'By an earlier version.',
  } as const;
  await disk.findings.hold(about, formatTime(world.clock.now));
  await running.follow();
  assert.deepEqual(disk.findings.open(), []);
  const before = JSON.stringify(await json(running.port, '/status'));
  assert.match(before, /dated 2026-07-30T12:30:00Z, and this clock shows 2026-07-30T11:30/);
  slow = 0;
  world.clock.now += 3600;
  await disk.findings.hold(about, formatTime(world.clock.now));
  await running.follow();
  assert.deepEqual(disk.findings.open(), []);
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
  const after = JSON.stringify(await json(running.port, '/status'));
  assert.doesNotMatch(after, /published at/);
});

test('recounter: it serves its log, its bytes, its findings, and cosigns what it is shown', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  await running.follow();
  await running.follow();
  const get = async (path: string) => fetch(`http://127.0.0.1:${running.port}${path}`);
  assert.match(await (await get('/checkpoint')).text(), /^development\/recounter\n2\n/);
  const bundle = new Uint8Array(await (await get('/tile/entries/000.p/2')).arrayBuffer());
  assert.ok(bundle.length > 1000);
  const snapshot = row?.report.reads[0]?.snapshot;
  assert.equal((await get(`/blob/${snapshot}`)).status, 200, 'it read the same bytes itself');
  const status = await json(running.port, '/status');
  assert.equal(status['key'], disk.key);
  assert.equal((status['publisher'] as { size: number }).size, world.ledger.published?.size);
  assert.equal(status['witness_vkey'], running.witnessVkey);
  assert.deepEqual(await json(running.port, '/findings'), { findings: [], more: 0 });
  const bytes = Buffer.from('{}');
  const hash = await disk.evidence.put(bytes);
  assert.equal(await (await get(`/evidence/${hash}.json`)).text(), '{}');
  for (const path of [
    `/evidence/${hash}`,
    '/evidence/zz.json',
    `/evidence/${'0'.repeat(64)}.json`,
  ]) {
    const missing = await get(path);
    assert.equal(missing.status, 404);
    assert.match(missing.headers.get('content-type') ?? '', /problem\+json/);
  }
  assert.match(await (await get('/metrics')).text(), /assay_log_entries 2/);
  const note = Buffer.from(world.ledger.published?.note ?? []).toString();
  const asked = await fetch(`http://127.0.0.1:${running.port}/add-checkpoint`, {
    method: 'POST',
    body: `old 0\n\n${note}`,
  });
  assert.equal(asked.status, 200);
  assert.match(await asked.text(), /^— development\/recounter /);
});

test('recounter: a change of the checkpoint key is followed, its heads are cosigned and reports stated', async (t) => {
  const keys = new ChangingKeys();
  const world = await CosignedWorld.open(undefined, undefined, undefined, undefined, keys.options);
  const publisher = await TestPublisher.open(world);
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  const { ledger } = world;
  const cosigned = async (note: Uint8Array, old: number): Promise<number> => {
    const size = Number(Buffer.from(note).toString().split('\n')[1]);
    const proof = await consistencyProof(
      async (tile) => (await ledger.tile(tile)) ?? assert.fail(),
      nodeSha256,
      old,
      size,
    );
    const body = formatWitnessRequest({ old, proof, checkpoint: note });
    const url = `http://127.0.0.1:${running.port}/add-checkpoint`;
    return (await fetch(url, { method: 'POST', body })).status;
  };
  const shown = (): Uint8Array => ledger.published?.note ?? assert.fail();
  await keys.promise(ledger);
  await running.follow();
  const before = ledger.nextSeq;
  assert.equal(await cosigned(shown(), 0), 200);
  await keys.change(ledger, 'rotation');
  await ledger.write(() => [{ kind: 'note/1', body: { text: 'under the second key' } }]);
  assert.equal(await cosigned(shown(), before), 403, 'it has not seen the change');
  assert.equal((await running.follow()).trouble, undefined);
  assert.equal(await cosigned(shown(), before), 200);
  const size = ledger.nextSeq;
  const root = ledger.published?.root ?? assert.fail();
  assert.equal(await cosigned(CHECKPOINTS.sign(size, root), size), 403, 'of the key that ended');
  await keys.change(ledger, 'recovery');
  world.at(RELEASE);
  const provisional = (await world.round()) ?? assert.fail();
  const followed = await running.follow();
  assert.equal(followed.trouble, undefined);
  assert.equal(heldOf(publisher, provisional, disk.key), 'agree');
  assert.deepEqual(await json(running.port, '/findings'), { findings: [], more: 0 });
  await running.close();
  const { running: again } = await recounterOn(disk, publisher);
  t.after(() => again.close());
  assert.equal((await again.follow()).trouble, undefined);
});

test('recounter: its witness goes by its copy: no checkpoint that contradicts it, and none of a forked log', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const { running } = await recounterOn(await Disk.make(), publisher);
  t.after(() => running.close());
  const { ledger } = publisher.world;
  await running.follow();
  const size = ledger.published?.size ?? 0;
  const ask = async (note: Uint8Array): Promise<readonly [number, string]> => {
    const body = formatWitnessRequest({ old: 0, proof: [], checkpoint: note });
    const url = `http://127.0.0.1:${running.port}/add-checkpoint`;
    const answer = await fetch(url, { method: 'POST', body });
    return [answer.status, await answer.text()];
  };
  const lie = CHECKPOINTS.sign(size, someLeaf(1));
  assert.deepEqual(await ask(lie), [422, `another history than the log has shown at ${size}\n`]);
  assert.match((await running.follow()).trouble ?? '', /forked/);
  const [status, words] = await ask(ledger.published?.note ?? new Uint8Array());
  assert.equal(status, 422);
  assert.match(words, /two histories/);
});

test('recounter: a log with more than its copy may hold is a finding, until there is room', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const copyLimits = { entries: 1, bytes: 1_000_000 };
  const { running } = await recounterOn(disk, publisher, { copyLimits });
  t.after(() => running.close());
  assert.match((await running.follow()).trouble ?? '', /more than its copy may hold: 1 entries/);
  const codes = (): readonly string[] => disk.findings.open().map(({ code }) => code);
  assert.deepEqual(codes(), ['copy_full']);
  const { running: roomy } = await recounterOn(disk, publisher);
  t.after(() => roomy.close());
  assert.equal((await roomy.follow()).trouble, undefined);
  assert.deepEqual(codes(), []);
});

test('recounter: two prints for one place are found, with evidence that proves it', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await running.follow();
  const twin = { ...row.report, published_at: formatTime(parseTime(RELEASE) + 1) };
  const signature = formatHex(REPORT_SIGNER.sign(formatPrint(printOf(nodeSha256, twin))));
  const { ledger } = world;
  await ledger.write(() => [{ kind: 'report/1', body: { report: twin, signature } }]);
  await running.follow();
  await running.follow();
  const found = disk.findings.open().find(({ code }) => code === 'two_prints');
  assert.equal(found?.about, `LAYOFFS ${WEEK}`);
  const path = `http://127.0.0.1:${running.port}/evidence/${found.evidence}.json`;
  const bytes = new Uint8Array(await (await fetch(path)).arrayBuffer());
  assert.equal(parseEvidence(bytes).kind, 'prints');
  assert.ok(disk.findings.open().some(({ code }) => code === 'report_refused'));
  const prints = disk.signed.filter((text) => text.startsWith(PRINT_MAGIC));
  assert.equal(new Set(prints).size, 1, 'it signs one print for the place');
});

test('recounter: of many reports for one place the first are recounted, and that there are more is reported, once', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const { world } = publisher;
  const disk = await Disk.make();
  const held: string[] = [];
  const through: Through = (where, work) => {
    if (where === 'hold') held.push(where);
    return work();
  };
  const { running } = await recounterOn(disk, publisher, { through });
  t.after(() => running.close());
  await running.follow();
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const many = Array.from({ length: 40 }, (_, i) => ({
    kind: 'report/1' as const,
    body: {
      report: { ...row.report, published_at: formatTime(parseTime(RELEASE) - i) },
      signature: 'ab'.repeat(64),
    },
  }));
  await world.ledger.write(() => many);
  await running.follow();
  const codes = disk.findings.open().map(({ code, about }) => `${code} ${about}`);
  assert.ok(codes.includes(`too_many_reports LAYOFFS ${WEEK}`));
  const refused = codes.filter((each) => each.startsWith('report_refused')).length;
  assert.equal(refused, MOST_OF_PLACE - 2, 'the one that is the first again is no other report');
  assert.equal(held.length, refused + 1, 'the period is looked at once');
  assert.equal((await ownStatements(disk)).length, 1, 'the first has its word');
});

test('recounter: days without an index entry, until they have one, and entries of days to come', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const { world } = publisher;
  const { ledger } = world;
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  const append = async (day: string) => {
    const size = ledger.nextSeq;
    const body = { day, size, ...recomputeIndex(ledger.tip, nodeSha256, size) } as never;
    await ledger.write(() => [{ kind: 'index/1', body }]);
  };
  world.at('2026-07-30T00:00:00Z');
  await append('2026-07-29');
  await append('9999-12-31');
  await running.follow();
  const codes = () => disk.findings.open().map(({ code, about }) => `${code} ${about}`);
  assert.deepEqual(codes(), ['index_not_due 9999-12-31']);
  world.at('2026-08-01T00:00:00Z');
  await running.follow();
  assert.deepEqual(codes(), ['index_not_due 9999-12-31', 'index_missing 2026-07-30']);
  await append('2026-07-30');
  await running.follow();
  assert.deepEqual(codes(), ['index_not_due 9999-12-31']);
});

test('recounter: a publisher with two histories is found out, and nothing of the second is signed', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const other = await TestPublisher.open();
  t.after(() => other.down());
  const disk = await Disk.make();
  const first = await recounterOn(disk, publisher);
  publisher.world.at(RELEASE);
  await publisher.world.round();
  await first.running.follow();
  await first.running.follow();
  await first.running.close();
  other.world.source.show(OTHER);
  other.world.at(FROZEN);
  await other.world.round();
  await other.world.round();
  const { ledger } = other.world;
  await ledger.write(() => [{ kind: 'note/1', body: { text: 'another history' } }]);
  const second = await recounterOn(disk, other);
  t.after(() => second.running.close());
  const looked = await second.running.follow();
  assert.match(looked.trouble ?? '', /forked/);
  const [found] = disk.findings.open();
  assert.equal(found?.code, 'fork');
  const bytes = await disk.evidence.get(found.evidence as never);
  assert.equal(parseEvidence(bytes ?? new Uint8Array()).kind, 'fork');
  assert.equal(new Set(publisher.brought).size, 1);
  assert.deepEqual(other.brought, []);
});

test('recounter: under a report key that nobody let in it says nothing, and says why', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  const { world } = publisher;
  const { ledger } = world;
  world.at(RELEASE);
  const thief = testSigner(200);
  const body = thievesKey(ledger.log as HashHex, thief);
  const row = await world.round();
  assert.ok(row !== undefined);
  const { report } = row;
  const signature = formatHex(thief.sign(formatPrint(printOf(nodeSha256, report))));
  const entries: Uint8Array[] = [];
  for (let seq = 0; seq < row.seq; seq += 1) entries.push((await ledger.entry(seq)) as Uint8Array);
  const at = formatTime(world.clock.now);
  publisher.forged = signedLog(
    chain([
      ...draftsOf(entries),
      { at, kind: 'key/1', body: body as never },
      { at, kind: 'report/1', body: { report, signature } as never },
    ]),
  );
  await running.follow();
  const { trouble, size } = await running.follow();
  assert.match(trouble ?? '', /entry \d+\/signatures\/recovery: expected a signature/);
  assert.ok(size <= row.seq);
  assert.deepEqual(disk.signed, []);
  assert.deepEqual(publisher.brought, []);
  const [found] = disk.findings.open();
  assert.equal(found?.code, 'log_refused');
  assert.match(JSON.stringify(await json(running.port, '/status')), /signatures\/recovery/);
});

/** A recovery to a thief's key, which the recovery key did not sign. */
function thievesKey(log: HashHex, thief: Signer): KeyEntry {
  const said = {
    number: 1,
    cause: 'recovery' as const,
    replaces: hexOf(REPORT_SIGNER),
    revoked: false,
    key: hexOf(thief),
    next_key_sha256: promised(testSigner(201)),
    recovery_key: hexOf(testSigner(4)),
    next_recovery_key_sha256: promised(testSigner(202)),
  };
  return signedKey(log, said, { new: thief, recovery: thief });
}

test('recounter: once the log is forked it says nothing more, and says why', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const { world } = publisher;
  const disk = await Disk.make();
  const { running, source } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  for (const provider of [RECORD, MIRROR]) source.say(provider, DOWN);
  world.at(RELEASE);
  await world.round();
  await running.follow();
  assert.equal((await json(running.port, '/status'))['waiting'], 1);
  const { size } = world.ledger.published ?? assert.fail();
  publisher.lines = () => CHECKPOINTS.sign(size, someLeaf(1));
  await running.follow();
  source.show(SHOWN);
  world.clock.now += 3600;
  await running.follow();
  await running.follow();
  assert.deepEqual(disk.signed, []);
  const { reasons } = await json(running.port, '/status');
  assert.match(JSON.stringify(reasons), /Nothing is signed: the publisher's log is forked/);
});

test('recounter: what was stated before a fork is still sent', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const { world } = publisher;
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  publisher.manners = 'busy';
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await running.follow();
  const { size } = world.ledger.published ?? assert.fail();
  publisher.lines = () => CHECKPOINTS.sign(size, someLeaf(1));
  assert.match((await running.follow()).trouble ?? '', /forked/);
  publisher.manners = 'takes';
  world.clock.now += 3600;
  await running.follow();
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
});

/** A publisher whose log asks for the line of one witness, and that witness. */
async function witnessedPublisher(witness_max_age_s: number) {
  const place = await memoryPlace();
  const policies = { cosigners_required: 0, witnesses_required: 1, witness_max_age_s };
  // A rule that is recorded at a release, or after it, does not govern the period.
  const now = (): number => parseTime(RELEASE) - 3600;
  const opened = await openAt(place, { now });
  await opened.write(() => [{ kind: 'genesis/1', body: genesisBody({ policies }) }]);
  const world = await CosignedWorld.open(place);
  await enactRule(world.ledger, nodeSha256, CLAIMS_RULE);
  await enactCosigners(world.ledger, nodeSha256, setOf());
  const publisher = await TestPublisher.open(world);
  const signer = testSigner(77);
  const vkey = formatNoteKey(nodeSha256, 'witness', signer.publicKey, NOTE_COSIGNATURE);
  const key = parseNoteKey(nodeSha256, vkey, NOTE_COSIGNATURE);
  /** The witness's line of `ago` seconds before now, on every checkpoint from here on. */
  const cosigns = (ago = 0): void => {
    publisher.lines = (note) => {
      const { text, signatures } = parseNote(note);
      const time = world.clock.now - ago;
      const signature = signer.sign(cosignatureMessage(text, time));
      const line = formatCosignature(key, { time, signature });
      return formatNote({ text, signatures: [...signatures, line] });
    };
  };
  return { publisher, world, key, cosigns };
}

test('recounter: a publisher that withholds the witnesses’ lines prevents its statement, but neither its reads nor the finding', async (t) => {
  const { publisher, world, key, cosigns } = await witnessedPublisher(3600);
  t.after(() => publisher.down());
  const disk = await Disk.make();
  publisher.witnesses = [key];
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  await running.follow();
  world.at(RELEASE);
  world.source.show(OTHER);
  const provisional = await world.round();
  await running.follow();
  world.at(FROZEN);
  const final = await world.round();
  assert.ok(provisional !== undefined && final !== undefined);
  await running.follow();
  assert.deepEqual(await ownStatements(disk), []);
  const holds = (code: FindingCode, about: string) => disk.findings.has(code, about);
  assert.ok(holds('against_own_reads', final.hash));
  assert.ok(!holds('against_own_reads', provisional.hash), 'it is over with the final');
  assert.ok(!holds('unwitnessed', final.hash), 'there is time');
  world.at(LATE);
  await running.follow();
  assert.ok(holds('unwitnessed', final.hash));
  assert.ok(holds('unwitnessed', provisional.hash));
  cosigns();
  world.clock.now += 3600;
  await running.follow();
  assert.deepEqual(await ownStatements(disk), ['dissent 197000', 'dissent 197000']);
  assert.ok(!holds('unwitnessed', final.hash));
});

test('recounter: nothing is signed that enough witnesses have not cosigned', async (t) => {
  const { publisher, world, key, cosigns } = await witnessedPublisher(3600);
  t.after(() => publisher.down());
  const disk = await Disk.make();
  publisher.witnesses = [key];
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await running.follow();
  assert.deepEqual(disk.signed, []);
  const status = await json(running.port, '/status');
  assert.match(JSON.stringify(status['reasons']), /lines of 0 witnesses, and 1 are required/);
  cosigns();
  await running.follow();
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
});

test('recounter: nothing is signed where it knows fewer witnesses than the log requires', async (t) => {
  const { publisher, world, cosigns } = await witnessedPublisher(3600);
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  cosigns();
  world.at(RELEASE);
  assert.ok((await world.round()) !== undefined);
  await running.follow();
  assert.deepEqual(disk.signed, []);
  const status = await json(running.port, '/status');
  assert.match(
    JSON.stringify(status['reasons']),
    /requires the lines of 1 witnesses, and publisher.witnesses lists 0/,
  );
});

test('recounter: where a log names no age, the line of a witness counts for a day', async (t) => {
  const { publisher, world, key, cosigns } = await witnessedPublisher(0);
  t.after(() => publisher.down());
  const disk = await Disk.make();
  publisher.witnesses = [key];
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  cosigns(86_401);
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await running.follow();
  assert.deepEqual(disk.signed, []);
  cosigns(86_400);
  await running.follow();
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
});

test('recounter: a start that fails closes its data', async () => {
  let closed = 0;
  const data = { close: async () => void (closed += 1) };
  await assert.rejects(startRecounter({ data } as never));
  assert.equal(closed, 1);
});

const CLAIMS = 'LAYOFFS' as never;
const PRINT_MAGIC = Buffer.from('assayPR1').toString('hex');

test('recounter: a publisher that waits with an unwelcome number has no agreement to its void', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { running, source } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  const { world } = publisher;
  world.clock.now = parseTime(RELEASE) + 60;
  await running.follow();
  await running.follow();
  const { [WEEK]: _, ...less } = SHOWN;
  world.source.show(less);
  source.show(less);
  world.clock.now = parseTime(LATE) + 60;
  const row = await world.round();
  assert.equal(row?.report.status, 'void');
  await running.follow();
  assert.equal(heldOf(publisher, row, disk.key), 'dissent');
  assert.ok(disk.findings.has('against_own_reads', row.hash));
});

test('recounter: a host that waits for the operator is in its status', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const sourceHosts = { waiting: ['https://new.example'] };
  const { running } = await recounterOn(await Disk.make(), publisher, { sourceHosts });
  t.after(() => running.close());
  const status = await json(running.port, '/status');
  assert.equal(status['state'], 'degraded');
  assert.match(String(status['reasons']), /new\.example.* waits for the operator/);
});

/** An agreement in the name of a recounter, as its key never signed it. */
async function forge(publisher: TestPublisher, row: ReportRow): Promise<void> {
  const { world } = publisher;
  const { statement } = await world.word(world.recounter(SEEDS[0]).cosigner, row);
  const none = '00'.repeat(64);
  const body = { statement, signature: none, print_signature: none };
  await world.ledger.write(() => [{ kind: 'cosign/1', body }]);
}

test('recounter: a statement in its name that its key did not sign stops nothing, and is a finding against the publisher', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await forge(publisher, row);
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  await running.follow();
  assert.ok(disk.findings.has('word_forged', `${row.hash} ${disk.key}`));
  assert.ok(!disk.findings.has('own_word_unknown', row.hash));
  world.at(FROZEN);
  const final = await world.round();
  assert.ok(final !== undefined);
  await running.follow();
  assert.equal(heldOf(publisher, final, disk.key), 'agree');
});

test('recounter: a forged agreement in the place of its dissent is not its statement', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { world } = publisher;
  publisher.manners = 'refuses';
  const { running, source } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  source.show(OTHER);
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await running.follow();
  await forge(publisher, row);
  await running.follow();
  world.clock.now += 3 * 86_400;
  await running.follow();
  const [refused] = disk.findings.list().filter(({ code }) => code === 'word_refused');
  assert.equal(refused?.ended, null);
  assert.ok(disk.findings.has('word_forged', `${row.hash} ${disk.key}`));
  assert.ok(disk.findings.has('word_withheld', row.hash));
  assert.deepEqual(await json(running.port, '/status').then(({ status }) => status), 'degraded');
});

test('recounter: on an old copy of its disk it says nothing before it has seen the publisher’s log', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const { world } = publisher;
  const [disk, image] = [await Disk.make(), await Disk.make()];
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  for (const each of [disk, image]) {
    const { running, source } = await recounterOn(each, publisher);
    source.say(RECORD, DOWN);
    source.say(MIRROR, DOWN);
    await running.follow();
    await running.close();
  }
  const first = await recounterOn(disk, publisher);
  await first.running.follow();
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
  await first.running.close();
  let cut = true;
  const through: Through = (where, work) =>
    cut && (where === 'get' || where === 'post')
      ? Promise.reject(new Fault('unreachable', 'publisher'))
      : work();
  world.clock.now += 600;
  const { running, source } = await recounterOn(image, publisher, { through });
  t.after(() => running.close());
  source.show(OTHER);
  const signed = image.signed.length;
  await running.follow();
  assert.equal(image.signed.length, signed);
  cut = false;
  await running.follow();
  assert.ok(image.findings.has('own_word_unknown', row.hash));
  assert.equal(image.signed.length, signed);
});

test('recounter: a statement of its key with other bytes than its memory’s ends all signing', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const { world } = publisher;
  publisher.manners = 'drops';
  const disk = await Disk.make();
  const { running, source } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  source.show(OTHER);
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  await running.follow();
  const { statement, signature, print_signature } = await world.word(
    world.recounter(SEEDS[0]).cosigner,
    row,
  );
  assert.ok(print_signature !== null);
  const body = { statement, signature, print_signature };
  await world.ledger.write(() => [{ kind: 'cosign/1', body }]);
  await running.follow();
  assert.ok(disk.findings.has('own_word_unknown', row.hash));
});

test('recounter: two prints that came while it was down are found at its start', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const twin = { ...row.report, published_at: formatTime(parseTime(RELEASE) + 1) };
  const signature = formatHex(REPORT_SIGNER.sign(formatPrint(printOf(nodeSha256, twin))));
  const body = { report: twin, signature };
  await world.ledger.write(() => [{ kind: 'report/1', body }]);
  const disk = await Disk.make();
  const { running } = await recounterOn(disk, publisher);
  t.after(() => running.close());
  await running.follow();
  assert.ok(disk.findings.list().some(({ code }) => code === 'two_prints'));
});
