import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESERVATION_CLASSES } from '@assay/verifier/verdict/reservation';
import type { AskedNumber } from '@assay/verifier/subject/asked-number';
import type { Finding } from '@assay/verifier/verdict/finding';
import type { Policy } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verdictText } from '@assay/cli/verify/verdict-text';
import { chained, COSIGNERS, keyOf } from '../fixture/chained-log.ts';
import { FLOODED_WEEK, floodedLog } from '../fixture/flooded-log.ts';
import { wireBytes } from '../fixture/forge.ts';
import { bundleFor } from '../fixture/recounted-bundle.ts';
import {
  codesOf,
  folderOf,
  judge,
  judgeFolder,
  judgeSite,
  siteOf,
  siteReader,
} from '../fixture/published.ts';

const PLAIN = { out: () => undefined, error: () => undefined, colour: false, progress: undefined };

function textOf(verdict: Verdict): readonly string[] {
  return verdictText(verdict, { ...PLAIN, columns: 80 }, { isPinned: false, isFull: false });
}

/** A policy that asks for the agreement of so many of these, each run by somebody else. */
function asking(required: number, ...names: readonly string[]): Partial<Policy> {
  const cosigners = names.map((name) => ({ operator: `the house of ${name}`, key: keyOf(name) }));
  return { cosigners, cosigners_required: required };
}

function findingsOf(verdict: Verdict): readonly Finding[] {
  return verdict.outcome === 'findings' ? verdict.findings : [];
}

const flooded = await floodedLog();
const floodedSite = siteOf(flooded);

test('a flood of sources that did not answer pushes no missing quorum out of a yes', async () => {
  const verdict = await judgeSite(floodedSite);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(findingsOf(verdict), null, 1));
  const [first] = verdict.not_checked;
  assert.equal(first?.class, 'quorum');
  const silent = verdict.not_checked.filter(
    ({ class: cls, what }) => cls === 'quorum' && what.startsWith('no quorum: '),
  );
  assert.equal(silent.length, 68);
  assert.ok(silent.some(({ what }) => what.startsWith(`no quorum: LAYOFFS of ${FLOODED_WEEK}`)));
  assert.equal(verdict.reservations.finals_without_quorum, 68);
  const failed = verdict.not_checked.filter(({ what }) => what.startsWith('failed reads'));
  assert.deepEqual(
    failed.map(({ what }) => what),
    [
      'failed reads (unreachable) of aa00-silent-0, aa00-silent-1, aa00-silent-2, aa00-silent-3, aa00-silent-4 and others (2010 times)',
    ],
  );
  const order = verdict.not_checked.map(({ class: cls }) => RESERVATION_CLASSES.indexOf(cls));
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.match(textOf(verdict).slice(0, 3).join(' '), /^VERIFIED.*68 finals without quorum/);
});

test('a flood switches off no demand of the auditor: a log without its co-signers is no yes', async () => {
  for (const judged of [
    await judgeSite(floodedSite, asking(1, 'ada')),
    await judgeFolder(folderOf(flooded), asking(1, 'ada')),
  ]) {
    assert.deepEqual(codesOf(judged), ['quorum_below_policy']);
    const findings = findingsOf(judged);
    assert.equal(findings.length, 68);
    assert.ok(findings.some(({ place }) => place === 'LAYOFFS'));
  }
});

test('findings of demands come first, whatever else a log has', async () => {
  const { published } = chained({ skip: (name) => / (cosign|dissent) /.test(name) });
  const site = siteOf(published);
  for (const [path, answer] of site) {
    if (path.startsWith('/indices')) site.set(path, { ...answer, body: new Uint8Array(3) });
  }
  const codes = findingsOf(await judgeSite(site, asking(1, 'ada'))).map(({ code }) => code);
  assert.equal(codes[0], 'quorum_below_policy');
  assert.ok(codes.includes('api_differs'));
});

const log = chained();
const WEEK = '2026-07-18';
const bundle = wireBytes(await bundleFor(log, WEEK, null));

/** One log in each form that can be verified. */
const SUBJECTS: Readonly<
  Record<
    'url' | 'export' | 'folder' | 'bundle',
    (policy: Partial<Policy>, number?: AskedNumber) => Promise<Verdict>
  >
> = {
  url: (policy, number) => judgeSite(siteOf(log.published), policy, withNumber(number)),
  export: (policy, number) =>
    judge(
      { kind: 'log', reader: siteReader(siteOf(log.published), false) },
      policy,
      withNumber(number),
    ),
  folder: (policy, number) => judgeFolder(folderOf(log.published), policy, withNumber(number)),
  bundle: (policy, number) => judge({ kind: 'bundle', bytes: bundle }, policy, withNumber(number)),
};

function withNumber(number: AskedNumber | undefined): { number?: AskedNumber } {
  return number === undefined ? {} : { number };
}

test('each demand of a policy is held against each kind of subject', async () => {
  const witness = {
    operator: 'W',
    vkey: 'w.example.org+12a5636d+BDtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop',
  };
  const witnessed: Partial<Policy> = { witnesses: [witness], witnesses_required: 1 };
  const nobody = { operator: 'N', key: '12'.repeat(32) };
  const strangers: Partial<Policy> = { cosigners: [nobody], cosigners_required: 1 };
  for (const [name, judged] of Object.entries(SUBJECTS)) {
    assert.deepEqual(codesOf(await judged({})), [], name);
    assert.deepEqual(codesOf(await judged(witnessed)), ['witnesses_missing'], name);
    assert.deepEqual(codesOf(await judged(strangers)), ['quorum_below_policy'], name);
    assert.deepEqual(codesOf(await judged({ complete: true })), ['log_incomplete'], name);
    const other = name === 'bundle' ? 'bundle_other' : 'number_unsettled';
    assert.deepEqual(codesOf(await judged({}, { index: 'FAKE', period: WEEK })), [other], name);
    assert.deepEqual(codesOf(await judged({}, { index: 'layoffs', period: WEEK })), [], name);
  }
});

test('what a policy of completeness finds is what a verdict without it counts', async () => {
  const open = await SUBJECTS.url({});
  assert.equal(open.outcome, 'verified');
  const {
    open_periods: periods,
    missing_closes: closes,
    missing_indexes: indexes,
  } = open.reservations;
  const rows = findingsOf(await SUBJECTS.url({ complete: true }));
  assert.deepEqual(
    rows.map(({ place, found }) => [place, found]),
    [
      // Released a day after the rule was recorded, and never printed.
      ['LAYOFFS', 'no report of 2026-06-27'],
      ['Closes', rows[1]?.found],
      ['index entries', rows[2]?.found],
    ],
  );
  assert.equal(periods, 1);
  for (const [row, n] of [
    [rows[1], closes],
    [rows[2], indexes],
  ] as const) {
    assert.match(String(row?.found), new RegExp(`^none of (\\S+ ){5}and ${n - 5} more$`));
  }
});

test('a final whose round still goes on is checked by the policy too, and the finding says to ask again', async () => {
  const all = Object.keys(COSIGNERS);
  const verdict = await SUBJECTS.url(asking(3, ...all));
  const [finding] = findingsOf(verdict);
  // Of the first two weeks the set was smaller: two agreed. Of the newest three did.
  assert.match(String(finding?.found), /^2 without: 2026-07-04, 2026-07-11(; .*ask again)?$/);
});
