import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEvidence } from '@assay/core/proof/evidence';
import { parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { crossCheck, DEFAULT_GRACE_S } from '@assay/verifier/watch/cross-check';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import type { WatchFinding } from '@assay/verifier/watch/watch-finding';
import { type Chained, chained, keyOf } from '../fixture/chained-log.ts';
import type { LooseDraft } from '../fixture/forge.ts';
import { ABOUT, cosignerLog, signStatement } from '../fixture/cosigner-log.ts';
import { ENVIRONMENT, type Published } from '../fixture/published.ts';

/** Four days after the newest report. */
const LATER = parseTime('2026-08-10T00:00:00Z' as never);

function check(
  name: string,
  own: Published = cosignerLog(name),
  about: Chained = ABOUT,
  now: number = LATER,
  owedSince: (seq: number) => number | undefined = () => 0,
): readonly WatchFinding[] {
  const { views: state, entries } = about.published;
  return crossCheck(
    { state, log: about.logId, size: entries.length, owedSince },
    { state: own.views, key: keyOf(name), name },
    { now, graceS: DEFAULT_GRACE_S },
    nodeSha256,
  );
}

const codes = (findings: readonly WatchFinding[]): readonly string[] => [
  ...new Set(findings.map(({ code }) => code)),
];

async function proven({ evidence }: WatchFinding): Promise<boolean> {
  if (evidence === null) return false;
  return (await checkEvidence(formatEvidence(evidence), ENVIRONMENT)).proven;
}

/** The publisher's log without some words. */
const without = (part: string): Chained => chained({ skip: (name) => name.includes(part) });

test('two honest logs have nothing against each other but silence', () => {
  for (const name of ['ada', 'ben', 'cleo']) {
    assert.deepEqual(
      codes(check(name)).filter((code) => code !== 'recounter_silent'),
      [],
    );
  }
});

test('a dissent that the publisher leaves out is found, once the grace is over', () => {
  const said = cosignerLog('cleo');
  // The head of a word names the publisher's log as it was then: an honest co-signer's copy.
  const hiding = without('2026-07-04 final 0 dissent cleo');
  const about = { ...ABOUT, published: { ...hiding.published, entries: ABOUT.published.entries } };
  const found = check('cleo', said, about).filter(({ code }) => code === 'dissent_hidden');
  assert.equal(found.length, 1);
  assert.match(String(found[0]?.place), /cleo, entry \d+, LAYOFFS 2026-07-04 final/);
  const early = parseTime('2026-07-09T14:31:00Z' as never);
  assert.equal(codes(check('cleo', said, about, early)).includes('dissent_hidden'), false);
});

test('an agreement that the publisher leaves out is found', () => {
  const hiding = without('2026-07-11 final 0 cosign ben');
  const about = { ...ABOUT, published: { ...hiding.published, entries: ABOUT.published.entries } };
  assert.equal(codes(check('ben', cosignerLog('ben'), about)).includes('agreement_hidden'), true);
});

test('a statement that the co-signer’s own log lacks is found', () => {
  const own = cosignerLog('ada', (drafts) => drafts.splice(2, 1));
  const all = check('ada', own);
  const found = all.find(({ code }) => code === 'word_unlogged');
  // It is not silent on it too.
  assert.deepEqual(
    all.filter(({ found: words }) => words.includes('07-18 final')),
    [],
  );
  assert.match(String(found?.expected), /the statement in entry \d+ of the publisher's log/);
});

test('two statements on one report that exclude each other: evidence that needs nothing else', async () => {
  const own = cosignerLog('ada', (drafts) => {
    const draft = drafts[1] as LooseDraft;
    const statement = structuredClone(draft.body['statement']);
    const other = String(BigInt(statement.own.value) + 5n);
    Object.assign(statement, { verdict: 'dissent', reason: 'another_value' });
    statement.own.value = other;
    draft.body = signStatement('ada', statement);
  });
  const [found] = check('ada', own).filter(({ code }) => code === 'word_contradicts');
  assert.ok(found !== undefined);
  assert.equal(await proven(found), true);
});

test('silence past the end of the round and the grace is named, by index', () => {
  const own = cosignerLog('ben', (drafts) => drafts.splice(1));
  const about = without('cosign ben');
  const silent = check('ben', own, about).filter(({ code }) => code === 'recounter_silent');
  assert.equal(silent.length, 1);
  assert.match(
    String(silent[0]?.found),
    /^silence on 2026-07-04 provisional, 2026-07-11 final, 2026-07-11 provisional/,
  );
  const first = parseTime('2026-07-04T00:00:00Z' as never);
  assert.deepEqual(
    codes(
      check(
        'ben',
        cosignerLog('ben', (d) => d.splice(0)),
        about,
        first,
      ),
    ),
    [],
  );
});

test('nobody is silent on what was not there in its time, or has no signature of the publisher', () => {
  const own = cosignerLog('ben', (drafts) => drafts.splice(1));
  const about = without('cosign ben');
  const silent = (owedSince: (seq: number) => number | undefined): readonly string[] =>
    codes(check('ben', own, about, LATER, owedSince)).filter((code) => code === 'recounter_silent');
  assert.deepEqual(
    silent(() => 0),
    ['recounter_silent'],
  );
  assert.deepEqual(
    silent(() => LATER - DEFAULT_GRACE_S - 1),
    ['recounter_silent'],
  );
  assert.deepEqual(
    silent(() => LATER - DEFAULT_GRACE_S),
    [],
  );
  assert.deepEqual(
    silent(() => undefined),
    [],
  );
});

test('a report or a place that the publisher does not show to others is found', () => {
  const own = cosignerLog('ada', (drafts) => {
    const draft = drafts[1] as LooseDraft;
    const statement = structuredClone(draft.body['statement']);
    statement.entry.seq += 1;
    statement.head.size += 1;
    draft.body = signStatement('ada', statement);
  });
  assert.equal(codes(check('ada', own)).includes('history_differs'), true);
  // A log that this reader has not followed so far yet says nothing.
  const { views: state } = ABOUT.published;
  const short = crossCheck(
    { state, log: ABOUT.logId, size: 2, owedSince: () => 0 },
    { state: own.views, key: keyOf('ada'), name: 'ada' },
    { now: LATER, graceS: DEFAULT_GRACE_S },
    nodeSha256,
  );
  assert.equal(codes(short).includes('history_differs'), false);
});
