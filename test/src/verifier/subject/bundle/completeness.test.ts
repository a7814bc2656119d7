import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportHash } from '@assay/core/report/report';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { checkBundleIndex } from '@assay/verifier/subject/bundle/completeness';
import type { IndexFacts } from '@assay/verifier/verdict/verdict';
import { closedLog } from '../../fixture/closed-log.ts';
import type { Forge, Loose } from '../../fixture/forge.ts';
import {
  finalOf,
  indexedForge,
  newestIndexDraft,
  withAnotherFinal,
} from '../../fixture/indexed-log.ts';
import { bundleOf, judgeBundle } from '../../fixture/misdeeds.ts';
import { codesOf, proven } from '../../fixture/published.ts';

const log = await closedLog();
const forge = indexedForge(log);
const published = forge.publish();
const PERIOD = '2026-07-18';
const bundle = await bundleOf(published, PERIOD);

async function factsOf(given: Loose): Promise<IndexFacts | null> {
  const verdict = await judgeBundle(given);
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.ok(verdict.outcome === 'verified' && verdict.number !== null);
  return verdict.number.index;
}

async function codes(given: Loose): Promise<readonly string[]> {
  return codesOf(await judgeBundle(given));
}

function changed(change: (copy: Loose) => void): Loose {
  const copy = structuredClone(bundle) as Loose;
  change(copy);
  return copy;
}

const isIndex = ({ seq }: { readonly seq: number }): boolean =>
  forge.drafts[seq]?.kind === 'index/1';

test('bundle index: that a final is the only one of its period, with its provisional beside it', async () => {
  const { draft, seq } = newestIndexDraft(forge);
  assert.deepEqual(await factsOf(bundle), {
    day: draft.body['day'],
    seq,
    at: draft.at,
    prints: draft.body['prints'].count,
    rules: draft.body['rules'].count,
    provisional: 1,
    settled: 'final',
    corrected: 0,
    followed: false,
  });
  const verdict = await judgeBundle(bundle);
  const named = verdict.not_checked.map(({ what }) => what);
  assert.ok(
    named.includes(
      `that the index entry of ${draft.body['day']} lists every print and every rule that the log had, and what came after it`,
    ),
  );
  assert.ok(!named.some((what) => what.includes('no other rule or report')));
  assert.ok(named.some((what) => what.startsWith(`that no key/1 after entry ${seq} replaces`)));
});

test('bundle index: without a proof the verdict says what is not shown', async () => {
  const without = changed((copy) => {
    copy['index_proofs'] = [];
    copy['entries'] = copy['entries'].filter((each: { seq: number }) => !isIndex(each));
  });
  assert.equal(await factsOf(without), null);
  const verdict = await judgeBundle(without);
  const named = verdict.not_checked.map(({ what }) => what);
  assert.ok(named.includes('that it is the only final or void of its period'));
  const key = verdict.not_checked.find(({ what }) => what.startsWith('that no key/1 after'));
  assert.match(key?.what ?? '', /after entry 0 replaces or revokes report key 0/);
  assert.match(key?.why ?? '', /no index entry/);
});

test('bundle index: a proof that is cut, moved or of another entry is refused', async () => {
  const proofs = (change: (proof: Loose) => void): Loose =>
    changed((copy) => change(copy['index_proofs'][0] as Loose));
  for (const change of [
    (proof) => proof['leaves'].pop(),
    (proof) => proof['leaves'].shift(),
    (proof) => (proof['first'] += 1),
    (proof) => proof['leaves'][1].proof.pop(),
    (proof) => (proof['leaves'] = proof['leaves'].toSpliced(1, 1)),
    (proof) => (proof['leaves'][1].leaf = proof['leaves'][2].leaf),
  ] satisfies ((proof: Loose) => void)[]) {
    assert.deepEqual(await codes(proofs(change)), ['index_proof_invalid'], String(change));
  }
  assert.deepEqual(await codes(proofs((proof) => (proof['seq'] -= 1))), ['bundle_incomplete']);
});

test('bundle index: proof and index entry come together or not at all', async () => {
  const entryOnly = changed((copy) => (copy['index_proofs'] = []));
  assert.deepEqual(await codes(entryOnly), ['bundle_malformed']);
  const proofOnly = changed((copy) => {
    copy['entries'] = copy['entries'].filter((each: { seq: number }) => !isIndex(each));
  });
  assert.deepEqual(await codes(proofOnly), ['bundle_incomplete']);
  const first = forge.drafts.findIndex(({ kind }) => kind === 'index/1');
  const two = changed((copy) => {
    copy['entries'] = [...copy['entries'], proven(published, first)].sort((a, b) => a.seq - b.seq);
  });
  assert.ok((await codes(two)).includes('bundle_malformed'));
});

test('bundle index: an index entry from before the report shows nothing of it', async () => {
  const early = forge.drafts.findIndex(({ kind }) => kind === 'index/1');
  const older = changed((copy) => {
    copy['entries'] = [
      ...copy['entries'].filter((each: { seq: number }) => !isIndex(each)),
      proven(published, early),
    ].sort((a, b) => a.seq - b.seq);
    copy['index_proofs'][0].seq = early;
  });
  assert.deepEqual(await codes(older), ['index_proof_invalid']);
});

test('bundle index: another final, a void or a double beside a number is found', async () => {
  for (const status of ['final', 'void', 'double'] as const) {
    const change = (whole: Forge): void => withAnotherFinal(whole, PERIOD, status);
    const made = await bundleOf(indexedForge(log, { change }).publish(), PERIOD);
    assert.deepEqual(await codes(made), ['index_contradicts'], status);
  }
});

test('bundle index: provisionals and corrections that leave out a number are found', async () => {
  const gap = (whole: Forge): void => {
    const { draft: early } = whole.newest(
      ({ kind, body }) =>
        kind === 'report/1' &&
        body['report'].period === PERIOD &&
        body['report'].status === 'provisional',
    );
    const { draft: final } = whole.newest(finalOf(PERIOD));
    early.body['report'].issue = 3;
    final.body['report'].supersedes = reportHash(nodeSha256, early.body['report']);
    whole.sign(early);
    whole.sign(final);
  };
  const made = await bundleOf(indexedForge(log, { change: gap }).publish(), PERIOD);
  assert.deepEqual(await codes(made), ['index_contradicts']);
});

test('bundle index: an index that lacks the number itself is found', async () => {
  const { draft } = forge.newest(finalOf(PERIOD));
  const { report } = draft.body as Loose;
  const findings: string[] = [];
  const row = { ...newestIndexDraft(forge).draft.body, seq: newestIndexDraft(forge).seq };
  const facts = checkBundleIndex(
    bundle,
    {
      indexes: [{ ...row, at: newestIndexDraft(forge).draft.at } as never],
      // The same place with other words: its hash is in no leaf.
      report: { ...report, published_at: '2026-07-23T14:30:59Z' },
      reported: 1,
      keys: published.views,
    },
    nodeSha256,
    {
      findings: { add: (code: string) => findings.push(code) },
      notChecked: { add: () => undefined },
      tally: { proofs: 0 },
    } as never,
  );
  assert.equal(facts, undefined);
  assert.deepEqual(findings, ['index_contradicts']);
});

test('bundle index: a final that was corrected says so; a correction is the newest', async () => {
  const corrected = await factsOf(await bundleOf(published, '2026-07-25'));
  assert.equal(corrected, null, 'no day has ended since the correction');
  const later = indexedForge(log, {
    change: (whole) => {
      whole.drafts.push({ at: '2026-08-02T00:00:00Z', kind: 'note/1', body: { text: 'Later.' } });
    },
  }).publish();
  const facts = await factsOf(await bundleOf(later, '2026-07-25'));
  assert.deepEqual([facts?.settled, facts?.corrected, facts?.followed], ['final', 1, false]);
});
