import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { IndexFold, recomputeIndex } from '@assay/core/view/completeness-fold';
import {
  eventLeaf,
  type IndexLeaf,
  indexLeafHash,
  keyLeaf,
  printLeaf,
  ruleLeaf,
} from '@assay/core/completeness/leaf';
import type { EventOpen } from '@assay/core/kind/event';
import type { IndexContent } from '@assay/core/kind/index-entry';
import { seriesId } from '@assay/core/report/print';
import { reportHash } from '@assay/core/report/report';
import { recordDigest } from '@assay/core/kind/record-digest';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseDate, parseTime } from '@assay/core/time/time';
import { emptyRoot, rootOf } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { ruleVersions } from '@assay/core/view/rules';
import { GENESIS, sampleReport, sha256, vectors } from '../fixture/fixture.ts';
import { recovery } from '../fixture/key-fixture.ts';
import { terminalLog } from '../terminal/terminal-log.ts';
import { ruledLog, SIGNATURE } from './small-log.ts';

const VKEY_HASH = hashHex(contentHash(sha256, formatUtf8(GENESIS['checkpoint_vkey'] as string)));

function report(log: ReturnType<typeof ruledLog>, kind: 'final' | 'provisional', period: string) {
  const made = sampleReport(kind, { log: log.log, period });
  log.append('report/1', { report: made, signature: SIGNATURE });
  return made;
}

test('index fold: prints, rules and keys of the entries before a size, by hand', () => {
  const log = ruledLog();
  const before = log.entries.length;
  const empty = recomputeIndex(log.views, sha256, before);
  assert.deepEqual(empty.prints, { count: 0, root: hashHex(emptyRoot(sha256)) });
  assert.deepEqual(empty.events, empty.prints);
  // The later period first: the list is sorted, and the log is not.
  const reports = [report(log, 'final', '2026-08-08'), report(log, 'provisional', '2026-08-01')];
  const leaves = reports.toReversed().map((each) =>
    printLeaf({
      period: parseDate(each.period),
      series: hashHex(seriesId(sha256, log.log, each.ticker)),
      status: each.status,
      issue: each.issue,
      report: reportHash(sha256, each),
    }),
  );
  const hashes = leaves.map((leaf) => indexLeafHash(sha256, 'prints', leaf));
  const content = recomputeIndex(log.views, sha256, log.entries.length);
  assert.deepEqual(content.prints, { count: 2, root: hashHex(rootOf(sha256, hashes)) });
  const rules = (['LAYOFFS', 'CPI'] as Ticker[])
    .flatMap((ticker) => {
      const series = hashHex(seriesId(sha256, log.log, ticker));
      return ruleVersions(log.views, ticker).map(({ hash }) => ruleLeaf(series, 1, hash));
    })
    .sort()
    .map((leaf) => indexLeafHash(sha256, 'rules', leaf));
  assert.equal(rules.length, 2);
  assert.deepEqual(content.rules, { count: 2, root: hashHex(rootOf(sha256, rules)) });
  const keys = [
    keyLeaf('report', 0, GENESIS['report_key'] as string),
    keyLeaf('checkpoint', 0, VKEY_HASH),
    keyLeaf('next', 0, GENESIS['next_report_key_sha256'] as string),
    keyLeaf('recovery', 0, GENESIS['recovery_key_sha256'] as string),
  ].map((leaf) => indexLeafHash(sha256, 'keys', leaf));
  assert.deepEqual(content.keys, { count: 4, root: hashHex(rootOf(sha256, keys)) });
  // Of a smaller size what stood there, from the same rows.
  assert.deepEqual(recomputeIndex(log.views, sha256, before), empty);
  assert.equal(recomputeIndex(log.views, sha256, before + 1).prints.count, 1);
});

test('index fold: report keys that follow one another, from their entries on', () => {
  const log = ruledLog();
  const before = log.entries.length;
  const entry = recovery(log.log);
  log.append('key/1', entry);
  const size = log.entries.length;
  const genesis = recomputeIndex(log.views, sha256, before);
  assert.equal(genesis.keys.count, 4);
  const leaves = [
    keyLeaf('checkpoint', 0, VKEY_HASH),
    keyLeaf('next', 0, GENESIS['next_report_key_sha256'] as string),
    keyLeaf('next', 1, entry.next_key_sha256),
    keyLeaf('recovery', 0, GENESIS['recovery_key_sha256'] as string),
    keyLeaf('recovery', 1, entry.next_recovery_key_sha256),
    keyLeaf('report', 0, GENESIS['report_key'] as string),
    keyLeaf('report', 1, entry.key),
    keyLeaf('revoked', 0, GENESIS['report_key'] as string),
  ].sort();
  const hashes = leaves.map((leaf) => indexLeafHash(sha256, 'keys', leaf));
  assert.deepEqual(recomputeIndex(log.views, sha256, size).keys, {
    count: 8,
    root: hashHex(rootOf(sha256, hashes)),
  });
});

test('index fold: vectors', () => {
  interface EntryVector {
    readonly name: string;
    readonly lists: Readonly<Record<'prints' | 'rules' | 'keys', readonly IndexLeaf[]>> & {
      readonly events?: readonly IndexLeaf[];
    };
    readonly body: IndexContent;
  }
  for (const { name, lists, body } of vectors<{ readonly entries: readonly EntryVector[] }>(
    'index/index',
  ).entries) {
    for (const list of ['prints', 'rules', 'keys', 'events'] as const) {
      const leaves = (lists[list] ?? []).toSorted();
      const hashes = leaves.map((leaf) => indexLeafHash(sha256, list, leaf));
      const root = hashHex(rootOf(sha256, hashes));
      assert.deepEqual(body[list], { count: leaves.length, root }, name);
    }
  }
});

test('index fold: a fold that goes on says what one that starts anew says', () => {
  const log = ruledLog();
  const fold = new IndexFold(sha256);
  for (const period of ['2026-08-01', '2026-08-15', '2026-08-08', '2026-07-18', '2026-08-22']) {
    report(log, 'final', period);
    const size = log.entries.length;
    assert.deepEqual(fold.at(log.views, size), recomputeIndex(log.views, sha256, size));
    assert.equal(fold.size, size);
  }
  assert.deepEqual(fold.at(log.views, fold.size), recomputeIndex(log.views, sha256, fold.size));
  assert.throws(() => fold.at(log.views, fold.size - 1), TypeError);
});

test('index fold: events are listed by their opening, and one that stands twice counts twice', () => {
  const { log, market } = terminalLog(2);
  const events = market.drafts.flatMap(({ kind, body }) =>
    kind === 'event/1' ? [body as EventOpen] : [],
  );
  assert.equal(events.length, 4);
  const leafOf = (body: EventOpen): IndexLeaf =>
    eventLeaf(parseTime(body.opened_at), body.id, recordDigest(sha256, body));
  const rootOfLeaves = (leaves: readonly IndexLeaf[]): string =>
    hashHex(
      rootOf(
        sha256,
        leaves.toSorted().map((leaf) => indexLeafHash(sha256, 'events', leaf)),
      ),
    );
  const fold = new IndexFold(sha256);
  fold.at(log.views, 100);
  const { events: whole } = fold.at(log.views, log.entries.length);
  const leaves = events.map(leafOf);
  assert.deepEqual(whole, { count: 4, root: rootOfLeaves(leaves) });
  const [first] = events as [EventOpen];
  log.append('event/1', first, market.drafts.at(-1)?.at);
  const { events: doubled } = fold.at(log.views, log.entries.length);
  assert.deepEqual(doubled, { count: 5, root: rootOfLeaves([...leaves, leafOf(first)]) });
});

test('index fold: a print that stands twice counts twice', () => {
  const log = ruledLog();
  report(log, 'final', '2026-08-01');
  const once = recomputeIndex(log.views, sha256, log.entries.length);
  report(log, 'final', '2026-08-01');
  const twice = recomputeIndex(log.views, sha256, log.entries.length);
  assert.equal(twice.prints.count, 2);
  assert.notEqual(twice.prints.root, once.prints.root);
});
