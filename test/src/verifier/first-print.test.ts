import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import type { Report } from '@assay/core/report/report';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { formatDate, parseTime, type TimeText } from '@assay/core/time/time';
import { reportsOf } from '@assay/core/view/reports';
import { MemoryViews } from '@assay/core/view/state';
import { wire } from '@assay/core/wire/wire';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { numberWarnings } from '@assay/verifier/summary/number-warnings';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { NumberFacts, Verdict } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
import { forcePrint } from '../node/fixture/forced-print.ts';
import { CHECKPOINTS } from '../node/ledger/ledger-fixture.ts';
import { CLAIMS_RULE, type TestNode, testNode } from '../node/fixture/round-fixture.ts';
import {
  codesOf,
  ENVIRONMENT,
  judgeSite,
  publish,
  type Site,
  siteOf,
  siteReader,
} from './fixture/published.ts';

// A publisher that holds every key settles on another number than the one that it printed first.

const WEEK = '2026-08-01';
const RELEASE = '2026-08-06T12:30:00Z';
const RULE: Rule = parseRule(
  nodeSha256,
  wire({
    ...CLAIMS_RULE,
    applies_from: '2026-07-25',
    aggregate: { ...CLAIMS_RULE.aggregate, quorum: 2 },
    revision: { settles: 'first_published', freeze_after_s: 7200, provider: null },
  }),
);

/** Ends a day with an index entry, and gives the verdicts on the log and on the bundle of the week. */
async function verdicts(node: TestNode): Promise<{
  readonly log: Verdict;
  readonly bundle: Verdict;
  /** Without its index entry. */
  readonly young: Verdict;
}> {
  const { ledger } = node;
  const young = await bundleVerdict(await served(node));
  const day = Math.floor(parseTime(ledger.nextAt) / 86_400);
  node.at(`${formatDate(day + 1)}T00:00:00Z`);
  const size = ledger.nextSeq;
  const body = { day: formatDate(day), size, ...recomputeIndex(ledger.tip, nodeSha256, size) };
  await ledger.write(() => [{ kind: 'index/1', body }]);
  const site = await served(node);
  return { log: await judgeSite(site), bundle: await bundleVerdict(site), young };
}

async function served({ ledger, place, blobs }: TestNode): Promise<Site> {
  const entries: Uint8Array[] = [];
  for await (const entry of place.store.entries(0, ledger.nextSeq))
    entries.push(new Uint8Array(entry));
  const kept = new Map<HashHex, Uint8Array>();
  for await (const each of blobs.list()) kept.set(each, (await blobs.get(each)) as Uint8Array);
  return siteOf(publish(entries, kept, CHECKPOINTS));
}

async function bundleVerdict(site: Site): Promise<Verdict> {
  const choice = { index: 'LAYOFFS', period: WEEK };
  const bytes = await makeBundle(siteReader(site), choice, nodeSha256);
  return verify({ kind: 'bundle', bytes }, OPEN_POLICY, { environment: ENVIRONMENT });
}

function number(verdict: Verdict): NumberFacts {
  assert.ok(verdict.outcome === 'verified' && verdict.number !== null, JSON.stringify(verdict));
  return verdict.number;
}

const FIRST_NOT_SHOWN = /that this was the first number printed/;
const ONLY_NOT_SHOWN = /that it is the only final of its period/;
const INDEX_NOT_SHOWN = /that the list of its day is whole/;

/** What the warning about a file says. */
const alone = (facts: NumberFacts): string =>
  numberWarnings(facts, 'bundle').find(({ code }) => code === 'file_alone')?.text ?? '';

test('first print: a number that was printed in the freeze window is replaced by a later one', async () => {
  const node = await testNode('2026-07-20T00:00:00Z', {}, RULE);
  node.source.show({ [WEEK]: 193_000 });
  node.at(RELEASE);
  const early = await node.round(WEEK);
  assert.equal(early.report?.value, '193000');
  node.source.show({ [WEEK]: 250_000 });
  node.at('2026-08-08T12:30:00Z');
  const supersedes = reportsOf(node.ledger.tip, RULE.ticker, WEEK as never)[0]?.hash ?? null;
  const change = (report: Report): Report => ({ ...report, supersedes });
  assert.ok(await forcePrint(node.parts, RULE, WEEK, { on: new MemoryViews(), change }));
  const { log, bundle, young } = await verdicts(node);
  assert.deepEqual(codesOf(log), ['report_not_reproduced']);
  for (const verdict of [young, bundle]) {
    const facts = number(verdict);
    assert.deepEqual([facts.value, facts.first_print], ['250000', 'not_shown']);
    assert.ok(FIRST_NOT_SHOWN.test(alone(facts)));
    assert.ok(
      verdict.not_checked.some(
        ({ class: cls, what, why }) =>
          cls === 'completeness' &&
          what === `that the number of LAYOFFS of ${WEEK} is the first that was printed` &&
          why.includes(supersedes ?? 'none'),
      ),
    );
  }
});

test('first print: a final long after the deadline supersedes a report that its log never had', async () => {
  const node = await testNode('2026-07-20T00:00:00Z', {}, RULE);
  node.source.show({ [WEEK]: 250_000 });
  node.at('2026-08-19T00:00:00Z');
  const later = '2026-09-20T12:30:00Z' as TimeText;
  const change = (report: Report): Report => {
    node.at(later);
    return { ...report, published_at: later, supersedes: 'ab'.repeat(32) as HashHex };
  };
  assert.ok(await forcePrint(node.parts, RULE, WEEK, { change }));
  const { log, bundle, young } = await verdicts(node);
  assert.deepEqual(codesOf(log), ['report_not_due']);
  assert.deepEqual(codesOf(bundle), ['index_contradicts']);
  // Before a day has ended nothing in a bundle tells what was printed.
  assert.match(alone(number(young)), FIRST_NOT_SHOWN);
  assert.match(alone(number(young)), ONLY_NOT_SHOWN);
});

test('first print: a final that claims to supersede nothing beside a provisional contradicts its index entry', async () => {
  const node = await testNode('2026-07-20T00:00:00Z', {}, RULE);
  node.source.show({ [WEEK]: 193_000 });
  node.at(RELEASE);
  await node.round(WEEK);
  node.source.show({ [WEEK]: 250_000 });
  node.at('2026-08-08T12:30:00Z');
  assert.ok(await forcePrint(node.parts, RULE, WEEK, { on: new MemoryViews() }));
  assert.deepEqual(codesOf((await verdicts(node)).bundle), ['index_contradicts']);
});

test('first print: an honest final before which nothing was printed rests on its index entry', async () => {
  const node = await testNode('2026-07-20T00:00:00Z', {}, RULE);
  node.source.show({ [WEEK]: 193_000 });
  node.at('2026-08-06T14:30:00Z');
  assert.equal((await node.round(WEEK)).report?.status, 'final');
  const { log, bundle, young } = await verdicts(node);
  assert.deepEqual(codesOf(log), []);
  assert.equal(number(young).first_print, 'not_shown');
  assert.equal(number(bundle).first_print, 'index');
  assert.match(alone(number(bundle)), INDEX_NOT_SHOWN);
  assert.doesNotMatch(alone(number(bundle)), FIRST_NOT_SHOWN);
});
