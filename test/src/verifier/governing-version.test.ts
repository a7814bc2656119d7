import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bundle } from '@assay/core/proof/bundle';
import { type HashHex, hashHex } from '@assay/core/hash/hash';
import { recomputeIndex, soleRuleRoot } from '@assay/core/view/completeness-fold';
import type { IndexContent } from '@assay/core/kind/index-entry';
import { seriesId } from '@assay/core/report/print';
import type { Report } from '@assay/core/report/report';
import { releaseTime } from '@assay/core/rule/release';
import { parseRule, type Rule, ruleHash } from '@assay/core/rule/rule';
import { type DateText, formatDate, formatTime, parseDate, parseTime } from '@assay/core/time/time';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { logRow } from '@assay/core/view/log';
import { bandOf } from '@assay/core/round/z';
import { type WireObject, type WireValue, wire } from '@assay/core/wire/wire';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { numberWarnings } from '@assay/verifier/summary/number-warnings';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { enactRule } from '@assay/node/rule/rule-file';
import { DEFAULT_GRACE_S } from '@assay/verifier/watch/cross-check';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { publisherSilence } from '@assay/verifier/watch/publisher-silence';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
import { type Poll, Watch } from '@assay/verifier/watch/watch';
import { wireBytes } from './fixture/forge.ts';
import { forcePrint } from '../node/fixture/forced-print.ts';
import { CHECKPOINTS } from '../node/ledger/ledger-fixture.ts';
import { CLAIMS_RULE, type TestNode, testNode, verdictOn } from '../node/fixture/round-fixture.ts';
import {
  chain,
  draftsOf,
  ENVIRONMENT,
  judgeSite,
  publish,
  type Published,
  siteOf,
  siteReader,
} from './fixture/published.ts';

// What a publisher does that holds every key and asks none of its own checks: a version of its rule takes over a period
// whose number is out already.

const { providers, release: RELEASE, aggregate } = CLAIMS_RULE;
/** Nobody is asked for later figures: what is shown is about rules alone. */
const REVISION = { settles: 'first_published', freeze_after_s: 7200, provider: null };
const AGGREGATE = { ...aggregate, quorum: 2 };

function claims(change: Readonly<Record<string, unknown>>): Rule {
  return parseRule(nodeSha256, {
    ...wire(CLAIMS_RULE),
    revision: REVISION,
    aggregate: AGGREGATE,
    ...(change as WireObject),
  } as WireValue);
}

const moved = (weeks: readonly string[], date: string): unknown => ({
  ...RELEASE,
  exceptions: weeks.map((period) => ({ period, date })),
});

/** Times 3/2: what the second rule makes of the same bytes. */
const SCALED = providers.map((each) => ({
  ...each,
  extract: [...each.extract, { op: 'scale', mul: '3', div: '2' }],
}));

const weeksFrom = (first: string, count: number): readonly DateText[] =>
  Array.from({ length: count }, (_, i) => formatDate(parseDate(first) + 7 * i));

/** Records a rule, whatever it is. */
async function record({ ledger }: TestNode, rule: Rule): Promise<void> {
  await ledger.write(() => [{ kind: 'rule/1', body: { rule } }]);
}

async function published({ ledger, place, blobs }: TestNode): Promise<Published> {
  const entries: Uint8Array[] = [];
  for await (const entry of place.store.entries(0, ledger.nextSeq))
    entries.push(new Uint8Array(entry));
  const kept = new Map<HashHex, Uint8Array>();
  for await (const each of blobs.list()) kept.set(each, (await blobs.get(each)) as Uint8Array);
  return publish(entries, kept, CHECKPOINTS);
}

/** Ends a day: the log says what it holds, or what `said` is put in the place of. */
async function indexDay(node: TestNode, said: Partial<IndexContent> = {}): Promise<void> {
  const { ledger } = node;
  node.at(formatTime(parseTime(ledger.nextAt) + 86_400));
  const size = ledger.nextSeq;
  const day = formatDate(Math.floor(parseTime(ledger.nextAt) / 86_400) - 1);
  const body = { day, size, ...recomputeIndex(ledger.tip, nodeSha256, size), ...said };
  await ledger.write(() => [{ kind: 'index/1', body }]);
}

/** The verdict on a week's bundle; `indexed`: once a day has ended and the log says what it holds. */
async function bundleVerdict(node: TestNode, period: string, indexed: boolean): Promise<Verdict> {
  if (indexed) await indexDay(node);
  return verdictOfBundle(await published(node), period);
}

async function verdictOfBundle(
  log: Published,
  period: string,
  change: (bundle: Bundle) => Bundle = (bundle) => bundle,
): Promise<Verdict> {
  const reader = siteReader(siteOf(log));
  const made = await makeBundle(reader, { index: 'LAYOFFS', period }, nodeSha256);
  const bytes = wireBytes(change(JSON.parse(parseUtf8(made)) as Bundle));
  return verify({ kind: 'bundle', bytes }, OPEN_POLICY, { environment: ENVIRONMENT });
}

async function watched(node: TestNode, now: string): Promise<Poll> {
  const site = siteOf(await published(node));
  const watch = new Watch({
    urls: ['https://publisher.example'],
    readerOf: () => ({ live: true, get: (path: string) => siteReader(site).get(path) }),
    policy: OPEN_POLICY,
    kept: () => [],
    keptAddress: () => undefined,
    environment: ENVIRONMENT,
    limits: DEFAULT_LIMITS,
    now: () => parseTime(now),
    graceS: DEFAULT_GRACE_S,
    within: (work: (signal: object) => unknown) => work({ aborted: false }),
  } as never);
  return watch.poll();
}

const codesOf = (verdict: Verdict): readonly string[] =>
  verdict.outcome === 'verified' ? ['verified'] : verdict.findings.map(({ code }) => code);

interface Attack {
  readonly node: TestNode;
  readonly second: Rule;
  readonly week: string;
  /** When the week is printed under the second rule. */
  readonly printedAt: string;
}

/** (a) The first rule moves its first eight weeks; the ninth comes out on schedule, and a day later version 2 takes it. */
async function eightMoved(): Promise<Attack> {
  const eight = weeksFrom('2026-08-01', 8);
  const week = '2026-09-26';
  const first = claims({ applies_from: '2026-07-25', release: moved(eight, '2027-03-04') });
  const node = await testNode('2026-07-20T00:00:00Z', {}, first);
  const second = claims({
    version: 2,
    applies_from: '2026-08-01',
    providers: SCALED,
    release: moved([...eight, week], '2027-03-04'),
  });
  node.source.show({ [week]: 193_000 });
  node.at('2026-10-02T12:30:00Z');
  return { node, second, week, printedAt: '2027-03-04T13:30:00Z' };
}

/** (b) A timely version 2 moves seventeen weeks; version 3 takes them over when their numbers are out. */
async function seventeenMoved(): Promise<Attack> {
  const weeks = weeksFrom('2026-08-01', 17);
  const week = '2026-11-21';
  const node = await testNode('2026-07-20T00:00:00Z', {}, claims({ applies_from: '2026-07-25' }));
  await enactRule(
    node.ledger,
    nodeSha256,
    claims({ version: 2, applies_from: '2026-08-01', release: moved(weeks, '2027-03-04') }),
  );
  const second = claims({
    version: 3,
    applies_from: '2026-08-08',
    providers: SCALED,
    release: moved(weeks, '2027-03-04'),
  });
  node.source.show({ [week]: 193_000 });
  node.at('2026-11-27T12:30:00Z');
  return { node, second, week, printedAt: '2027-03-04T13:30:00Z' };
}

for (const [name, attack] of [
  ['(a) behind eight weeks that were moved', eightMoved],
  ['(b) by a third version', seventeenMoved],
] as const) {
  test(`a rule changed after the number is out, ${name}: the node refuses it`, async () => {
    const { node, second } = await attack();
    await assert.rejects(enactRule(node.ledger, nodeSha256, second), { code: 'bad_config' });
  });

  test(`a rule changed after the number is out, ${name}: the whole log is no yes`, async () => {
    const { node, second, week, printedAt } = await attack();
    await record(node, second);
    assert.deepEqual(codesOf(await verdictOn(node)), ['rule_not_allowed'], 'the rule alone');
    node.at(printedAt);
    assert.equal(await forcePrint(node.parts, second, week), true);
    node.at(formatTime(parseTime(printedAt) + 7200));
    assert.equal(await forcePrint(node.parts, second, week), true);
    const codes = codesOf(await verdictOn(node));
    assert.ok(codes.includes('rule_not_allowed') && codes.includes('rule_mismatch'), codes.join());
    const site = siteOf(await published(node));
    assert.equal((await judgeSite(site)).outcome, 'findings');
    const { findings } = await watched(node, '2027-03-05T00:00:00Z');
    assert.ok(
      findings.some(({ code }) => code === 'rule_not_allowed'),
      'watch',
    );
  });

  test(`a rule changed after the number is out, ${name}: its bundle is no silent yes`, async () => {
    const { node, second, week, printedAt } = await attack();
    await record(node, second);
    node.at(printedAt);
    await forcePrint(node.parts, second, week);
    node.at(formatTime(parseTime(printedAt) + 7200));
    await forcePrint(node.parts, second, week);
    const young = await bundleVerdict(node, week, false);
    assert.ok(young.outcome === 'verified');
    assert.deepEqual([young.number?.value, young.number?.versions], ['289500', null]);
    assert.ok(
      young.not_checked.some(
        ({ class: cls, what }) =>
          cls === 'calendar' && what.startsWith('that no other version of the rule of LAYOFFS'),
      ),
    );
    const whole = codesOf(await bundleVerdict(node, week, true));
    assert.ok(whole.includes('rule_not_allowed') && whole.includes('rule_mismatch'), whole.join());
  });
}

test('a version that is dated back behind the number: the log is found, and its bundle says what it does not show', async () => {
  const week = '2026-09-26';
  const node = await testNode('2026-07-20T00:00:00Z', {}, claims({ applies_from: '2026-07-25' }));
  const second = claims({ version: 2, applies_from: '2026-08-01', providers: SCALED });
  node.source.show({ [week]: 193_000 });
  node.at('2026-10-01T12:30:00Z');
  const { ledger } = node;
  const body = { text: 'The number is out.' };
  await ledger.write(() => [{ kind: 'note/1', body }]);
  const place = ledger.nextSeq;
  await record(node, second);
  for (const at of ['2026-10-01T13:30:00Z', '2026-10-01T14:30:00Z']) {
    node.at(at);
    assert.equal(await forcePrint(node.parts, second, week), true);
  }
  await indexDay(node);
  const { entries, blobs } = await published(node);
  const drafts = draftsOf(entries).map((draft, seq) =>
    seq === place ? { ...draft, at: '2026-07-21T00:00:00Z' } : draft,
  );
  const log = publish(chain(drafts), blobs, CHECKPOINTS);
  assert.deepEqual(codesOf(await judgeSite(siteOf(log))), ['time_decreases']);
  const verdict = await verdictOfBundle(log, week);
  assert.ok(verdict.outcome === 'verified' && verdict.number !== null);
  const { value, versions, governs } = verdict.number;
  assert.deepEqual([value, versions, governs], ['289500', 2, 'index']);
  const alone = numberWarnings(verdict.number, 'bundle').find(({ code }) => code === 'file_alone');
  assert.match(alone?.text ?? '', /that its rule was recorded in time/);
  assert.ok(
    verdict.not_checked.some(
      ({ class: cls, what }) => cls === 'calendar' && what.includes('were recorded at the times'),
    ),
  );
});

test('a list of versions that begins with the second contradicts itself', async () => {
  const week = '2026-09-26';
  const node = await testNode('2026-07-20T00:00:00Z', {}, claims({ applies_from: '2026-07-25' }));
  const second = claims({
    version: 2,
    applies_from: '2026-08-01',
    providers: SCALED,
    release: moved([week], '2027-03-04'),
  });
  node.source.show({ [week]: 193_000 });
  node.at('2026-10-02T12:30:00Z');
  await record(node, second);
  for (const at of ['2027-03-04T13:30:00Z', '2027-03-04T15:30:00Z']) {
    node.at(at);
    assert.equal(await forcePrint(node.parts, second, week), true);
  }
  const log = logRow(node.ledger.tip)?.log as HashHex;
  const series = hashHex(seriesId(nodeSha256, log, second.ticker));
  const hash = ruleHash(nodeSha256, second);
  await indexDay(node, { rules: soleRuleRoot(nodeSha256, { series, version: 2, hash }) });
  const verdict = await verdictOfBundle(await published(node), week, (bundle) => ({
    ...bundle,
    index_proofs: bundle.index_proofs.slice(0, 1),
    entries: bundle.entries.filter(({ seq }) => seq !== 1),
  }));
  assert.deepEqual(codesOf(verdict), ['rule_not_allowed']);
});

for (const [weeks, found] of [
  [1, ['report_not_reproduced']],
  [CLAIMS_RULE.baseline.min - 1, ['report_not_reproduced']],
  [CLAIMS_RULE.baseline.min, ['verified']],
] as const) {
  test(`a z under version 2, ${weeks} weeks behind the first: what its bundle shows of version 1 counts`, async () => {
    const first = parseDate('2026-07-25');
    const week = formatDate(first + 7 * weeks);
    const released = releaseTime(RELEASE, CLAIMS_RULE.period, first + 7 * weeks);
    const node = await testNode('2026-07-20T00:00:00Z', {}, claims({ applies_from: '2026-07-25' }));
    const second = claims({ version: 2, applies_from: week, title: 'The same once more' });
    await enactRule(node.ledger, nodeSha256, second);
    node.source.show({ [week]: 193_000 });
    node.at(formatTime(released + 7200));
    const change = (report: Report): Report => ({
      ...report,
      z: '9.9',
      band: bandOf('9.9', second.bands),
    });
    assert.equal(await forcePrint(node.parts, second, week, { change }), true);
    assert.deepEqual(codesOf(await bundleVerdict(node, week, true)), found);
    // Without the list nobody knows when the index began.
    const bare = await verdictOfBundle(await published(node), week, (bundle) => {
      const index = bundle.index_proofs[0]?.seq;
      return {
        ...bundle,
        index_proofs: [],
        entries: bundle.entries.filter(({ seq }) => seq !== index && seq !== 1),
      };
    });
    assert.deepEqual(codesOf(bare), ['verified']);
  });
}

test('a version that moves an overdue week away does not end its silence', async () => {
  const { node, second, week } = await eightMoved();
  await record(node, second);
  // Two weeks behind the release of version 1, and long before that of version 2.
  const now = parseTime('2026-10-16T00:00:00Z');
  const of = { state: node.ledger.tip, name: 'example', newest: now };
  const found = publisherSilence(of, { now, graceS: 86_400 }).map((each) => each.found);
  assert.deepEqual(found, [`neither of 2026-07-25, ${week}`]);
});

test('a postponement before both releases is named, and is no finding', async () => {
  const week = '2026-08-01';
  const node = await testNode('2026-07-20T00:00:00Z', {}, claims({ applies_from: '2026-07-25' }));
  node.at('2026-08-06T12:29:59Z');
  const second = claims({ version: 2, applies_from: week, release: moved([week], '2026-08-20') });
  assert.equal(await enactRule(node.ledger, nodeSha256, second), true);
  node.source.show({ [week]: 193_000 });
  for (const at of ['2026-08-06T14:30:00Z', '2026-08-20T12:29:59Z']) {
    node.at(at);
    assert.equal((await node.round(week)).report, undefined, at);
  }
  node.at('2026-08-20T12:30:00Z');
  assert.equal((await node.round(week)).report?.status, 'provisional');
  node.at('2026-08-20T14:30:00Z');
  assert.equal((await node.round(week)).report?.status, 'final');
  const verdict = await verdictOn(node);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict));
  const named = verdict.not_checked.filter((each) => each.class === 'calendar');
  const bundle = await bundleVerdict(node, week, true);
  assert.ok(bundle.outcome === 'verified', JSON.stringify(bundle));
  assert.equal(bundle.number?.versions, 2);
  const [recorded, ...others] = bundle.not_checked
    .filter((each) => each.class === 'calendar')
    .toReversed();
  assert.match(recorded?.what ?? '', /were recorded at the times of their entries$/);
  assert.deepEqual(others, named);
  assert.deepEqual(
    named.map(({ what }) => what),
    [
      'LAYOFFS of 2026-08-01: release moved later from 2026-08-06T12:30:00Z to 2026-08-20T12:30:00Z by version 2 of its rule, recorded 2026-08-06T12:29:59Z',
    ],
  );
});
