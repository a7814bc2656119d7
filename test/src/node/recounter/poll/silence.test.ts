import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import { type Report, reportHash } from '@assay/core/report/report';
import { ZERO_HASH_HEX } from '@assay/core/hash/hash';
import type { Revision } from '@assay/core/kind/revision';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, type DateText, parseTime, type TimeText } from '@assay/core/time/time';
import { ruleVersions } from '@assay/core/view/rules';
import { MemoryViews } from '@assay/core/view/state';
import { foldEntry } from '@assay/core/view/fold';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { entryOf } from '@assay/node/cosign/statement-entry';
import { FindingStore } from '@assay/node/recounter/finding-store';
import type { NewEntries } from '@assay/node/recounter/poll/followed-log';
import { GRACE_S, Silence } from '@assay/node/recounter/poll/silence';
import { REPORT_SIGNER, testSigner } from '../../ledger/ledger-fixture.ts';
import { CosignedWorld, LATE, RELEASE, SEEDS, WEEK } from '../../cosign/cosigner-fixture.ts';

const NOTHING: NewEntries = { reports: [], words: [] };
const key = (seed: number) => formatHex(testSigner(seed).publicKey);

const ALL_AT_ONCE = { pause: () => undefined };

async function silent() {
  const world = await CosignedWorld.open();
  const findings = FindingStore.memory();
  const own = new MemoryViews();
  const silence = new Silence({
    key: key(SEEDS[0]),
    own,
    findings,
    entry: (seq) => world.ledger.entry(seq),
    sha256: nodeSha256,
    now: () => world.clock.now,
  });
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const { log } = row.report;
  const poll = async (
    peers: ReadonlyMap<string, MemoryViews> = new Map(),
    unreached?: string,
    news: NewEntries = NOTHING,
  ) => {
    await silence.update(world.ledger.shown, news, ALL_AT_ONCE);
    return silence.poll(log, world.ledger.shown, peers, unreached, ALL_AT_ONCE);
  };
  const codes = () =>
    findings
      .open()
      .filter(({ code }) => code !== 'publisher_silent')
      .map(({ code, about }) => `${code} ${about}`);
  return { world, findings, own, row, log, poll, codes };
}

test('silence: another of the set has until its time is over, and a day', async () => {
  const { world, row, poll, codes } = await silent();
  await poll();
  world.clock.now = parseTime(LATE) - 1 + GRACE_S;
  await poll();
  assert.deepEqual(codes(), []);
  world.clock.now += 1;
  await poll();
  assert.deepEqual(codes(), [`peer_silent ${row.hash} ${key(SEEDS[1])}`]);
});

test('silence: of a report that comes late there is a day to speak, and of one that nobody signed no need', async () => {
  const { world, row, poll, codes } = await silent();
  await poll();
  world.clock.now = parseTime(LATE) + GRACE_S + 1;
  await poll();
  const first = `peer_silent ${row.hash} ${key(SEEDS[1])}`;
  assert.deepEqual(codes(), [first]);
  const late: Report = {
    ...row.report,
    period: '2026-06-06' as DateText,
    published_at: '2026-06-12T00:00:00Z' as TimeText,
  };
  const unsigned: Report = { ...late, period: '2026-06-13' as DateText };
  const message = formatPrint(printOf(nodeSha256, late));
  const drafts = [
    { report: late, signature: formatHex(REPORT_SIGNER.sign(message)) },
    { report: unsigned, signature: 'ab'.repeat(64) },
  ].map((body) => ({ kind: 'report/1' as const, body }));
  await world.ledger.write(() => drafts);
  await poll(new Map(), undefined, { reports: [late, unsigned], words: [] });
  assert.deepEqual(codes(), [first], 'their periods are long over');
  world.clock.now += GRACE_S;
  await poll();
  assert.deepEqual(codes(), [first]);
  world.clock.now += 1;
  await poll();
  const hash = reportHash(nodeSha256, late);
  assert.deepEqual(codes(), [first, `peer_silent ${hash} ${key(SEEDS[1])}`]);
});

test('silence: who comes late itself says nothing of others for a day, whatever time an entry has', async () => {
  const { world, row, poll, codes } = await silent();
  world.clock.now = parseTime(LATE) + 10 * DAY_SECONDS;
  await poll();
  world.clock.now += GRACE_S;
  await poll();
  assert.deepEqual(codes(), []);
  world.clock.now += 1;
  await poll();
  assert.deepEqual(codes(), [`peer_silent ${row.hash} ${key(SEEDS[1])}`]);
});

test('silence: others have a day from the time of the entry, where that is ahead', async () => {
  const { world, row, poll, codes } = await silent();
  world.clock.now = parseTime(RELEASE) + 60 * DAY_SECONDS;
  const report: Report = { ...row.report, period: '2026-06-06' as DateText };
  const message = formatPrint(printOf(nodeSha256, report));
  const body = { report, signature: formatHex(REPORT_SIGNER.sign(message)) };
  await world.ledger.write(() => [{ kind: 'report/1', body }]);
  world.clock.now = parseTime(LATE);
  await poll();
  world.clock.now += GRACE_S + 1;
  await poll();
  assert.deepEqual(codes(), [`peer_silent ${row.hash} ${key(SEEDS[1])}`]);
});

test('silence: who abstains in a log of its own has not been silent', async () => {
  const { world, row, poll, codes } = await silent();
  world.clock.now = parseTime(LATE) + GRACE_S + 1;
  const { cosigner, source } = world.recounter(SEEDS[1]);
  const down = { kind: 'failed', reason: 'unreachable', detail: 'down' } as const;
  for (const provider of source.answers.keys()) source.answers.set(provider, down);
  const word = await cosigner.recount(await world.asked(row));
  assert.equal(word?.kind, 'abstain');
  const peer = new MemoryViews();
  const entry = {
    kind: 'statement/1',
    body: entryOf(word),
    seq: 1,
    at: LATE,
    log: row.report.log,
  } as never;
  peer.write(foldEntry(entry, peer, nodeSha256));
  await poll(new Map([[key(SEEDS[1]), peer]]));
  assert.deepEqual(codes(), []);
});

test('silence: a statement that the publisher’s log lacks after a day, until it has it', async () => {
  const { world, own, row, poll, codes } = await silent();
  const { cosigner } = world.recounter(SEEDS[0]);
  const word = await cosigner.recount(await world.asked(row));
  assert.ok(word?.kind === 'agree');
  const entry = {
    kind: 'statement/1',
    body: entryOf(word),
    seq: 1,
    at: RELEASE,
    log: row.report.log,
  } as never;
  own.write(foldEntry(entry, own, nodeSha256));
  world.clock.now += GRACE_S;
  await poll();
  assert.deepEqual(codes(), []);
  world.clock.now += 1;
  await poll();
  assert.deepEqual(codes(), [`word_withheld ${row.hash}`]);
  await world.ledger.write(() => [{ kind: 'cosign/1', body: word.body }]);
  await poll();
  assert.deepEqual(codes(), []);
});

test('silence: a period without a final or void is the publisher’s, from the deadline on', async () => {
  const { world, findings, poll } = await silent();
  world.clock.now = parseTime(RELEASE) + 30 * 86_400;
  await poll();
  assert.ok(findings.has('publisher_silent', `LAYOFFS ${WEEK}`));
  const earlier = 'LAYOFFS 2026-07-18';
  assert.ok(!findings.has('publisher_silent', earlier), 'released before the rule was here');
});

test('silence: a period that the log holds as history is nobody’s to print', async () => {
  const { world, findings, poll } = await silent();
  world.clock.now = parseTime(RELEASE) + 30 * 86_400;
  await poll();
  const about = 'LAYOFFS 2026-08-01';
  assert.ok(findings.has('publisher_silent', about));
  const revision = {
    ticker: 'LAYOFFS',
    rule: ruleVersions(world.ledger.tip, 'LAYOFFS' as Ticker)[0]?.hash ?? assert.fail(),
    provider: 'record',
    snapshot: ZERO_HASH_HEX,
    retain: 'hash',
    read_at: RELEASE,
    read_for: '2026-08-01',
    rows: [{ period: '2026-08-01', value: '1' }],
  } as unknown as Revision;
  await world.ledger.write(() => [{ kind: 'revision/1', body: revision }]);
  await poll();
  assert.ok(!findings.has('publisher_silent', about));
  assert.ok(findings.has('publisher_silent', `LAYOFFS ${WEEK}`));
});

test('silence: a publisher that could not be reached is not reported as silent', async () => {
  const { world, findings, poll } = await silent();
  world.clock.now = parseTime(RELEASE) + 30 * 86_400;
  await poll(new Map(), 'nobody answers');
  assert.deepEqual(
    findings
      .open()
      .filter(({ code }) => code !== 'peer_silent')
      .map(({ code, about }) => [code, about]),
    [['publisher_unreachable', 'publisher']],
  );
  assert.match(String(findings.open()[0]?.says), /is not known: nobody answers/);
  await poll();
  assert.ok(findings.has('publisher_silent', `LAYOFFS ${WEEK}`));
  assert.ok(!findings.has('publisher_unreachable', 'publisher'));
});
