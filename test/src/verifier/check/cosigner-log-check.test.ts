import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { keyOf } from '../fixture/chained-log.ts';
import { type LooseDraft, noteDraft } from '../fixture/forge.ts';
import { ABOUT, cosignerLog, ownSite, signStatement } from '../fixture/cosigner-log.ts';
import { codesOf, draftsOf, folderOf, judgeFolder, judgeSite } from '../fixture/published.ts';
import { rotated } from '../fixture/rotated-log.ts';

const judgeOwn = (change: (drafts: LooseDraft[]) => void): Promise<Verdict> =>
  judgeSite(ownSite('ada', change));

test("a co-signer's own log: verified, with a summary of its own", async () => {
  for (const verdict of [
    await judgeSite(ownSite('cleo')),
    await judgeFolder(folderOf(cosignerLog('cleo'))),
  ]) {
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    if (verdict.outcome !== 'verified') return;
    assert.deepEqual(verdict.words, {
      cosigner: keyOf('cleo'),
      logs: [ABOUT.logId],
      agreements: 4,
      dissents: 1,
      abstentions: 0,
      newest: '2026-08-06T14:30:12Z',
    });
    assert.equal(verdict.checked.statements, 5);
    assert.equal(verdict.checked.reports, 0);
    assert.equal(
      verdict.not_checked.some(({ what }) => what.startsWith('what statements are about')),
      true,
    );
  }
});

test("a co-signer's log before its first word has no numbers either", async () => {
  const verdict = await judgeOwn((drafts) => drafts.splice(0));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(verdict.outcome === 'verified' && verdict.words, null);
});

test('an abstention is a statement', async () => {
  const verdict = await judgeOwn((drafts) => {
    const statement = structuredClone((drafts[0] as LooseDraft).body['statement']);
    Object.assign(statement, { verdict: 'abstain', reason: 'no_read', own: null });
    (drafts[0] as LooseDraft).body = signStatement('ada', statement);
  });
  assert.equal(verdict.outcome === 'verified' && verdict.words?.abstentions, 1);
});

test('a statement by another key, a second one, or one with a time in the future: not verified', async () => {
  const changed = async (change: (drafts: LooseDraft[]) => void): Promise<readonly string[]> =>
    codesOf(await judgeOwn(change));
  assert.deepEqual(
    await changed((drafts) => {
      const statement = { ...(drafts[0] as LooseDraft).body['statement'], cosigner: keyOf('ben') };
      (drafts[0] as LooseDraft).body = signStatement('ben', statement);
    }),
    ['statement_differs'],
  );
  assert.deepEqual(
    await changed((drafts) => {
      const [first] = drafts as [LooseDraft];
      drafts.push({ ...first, at: (drafts.at(-1) as LooseDraft).at });
    }),
    ['statement_contradicts'],
  );
  assert.deepEqual(
    await changed((drafts) => {
      const { body } = drafts[0] as LooseDraft;
      const statement = { ...body['statement'], signed_at: '2027-01-01T00:00:00Z' };
      (drafts[0] as LooseDraft).body = signStatement('ada', statement);
    }),
    ['statement_differs'],
  );
});

test('two prints in one place, both signed: not verified', async () => {
  const verdict = await judgeOwn((drafts) => {
    const last = drafts.at(-1) as LooseDraft;
    const statement = structuredClone(last.body['statement']);
    const other = '77'.repeat(32);
    // The same period, status and issue, of another report.
    statement.print = statement.print.slice(0, 144) + other + statement.print.slice(208);
    statement.report = other;
    drafts.push({ ...last, body: signStatement('ada', statement) });
  });
  assert.equal(verdict.outcome, 'findings');
  if (verdict.outcome !== 'findings') return;
  const [finding] = verdict.findings;
  assert.equal(finding?.code, 'statement_contradicts');
  assert.equal(finding.expected, 'one print in its place in a period');
});

test('each of its signatures is checked', async () => {
  for (const [who, field] of [
    ['ada', 'signature'],
    ['ada', 'print_signature'],
    ['cleo', 'dissent_signature'],
  ] as const) {
    const site = ownSite(who, (drafts) => {
      const draft = drafts.find(({ body }) => body[field] !== null) as LooseDraft;
      draft.body[field] = 'ab'.repeat(64);
    });
    assert.deepEqual(codesOf(await judgeSite(site)), ['statement_bad_signature'], field);
  }
});

test('a log holds numbers or statements on numbers, not both', async () => {
  const mixed = await judgeOwn((drafts) => {
    const rule = draftsOf(ABOUT.published.entries).find(({ kind }) => kind === 'rule/1');
    drafts.push({ ...(rule as LooseDraft), at: (drafts.at(-1) as LooseDraft).at });
  });
  assert.equal(codesOf(mixed).includes('kinds_mixed'), true, JSON.stringify(mixed, null, 1));
  const noted = await judgeOwn((drafts) => {
    drafts.push(noteDraft((drafts.at(-1) as LooseDraft).at) as LooseDraft);
  });
  assert.equal(noted.outcome, 'verified');
});

test('a log of statements has one key: a change of key before them or after them is found', async () => {
  const change = draftsOf(rotated().entries).find(({ kind }) => kind === 'key/1') as LooseDraft;
  for (const put of ['push', 'unshift'] as const) {
    const verdict = await judgeOwn((own) => {
      const at = (own.at(put === 'push' ? -1 : 0) as LooseDraft).at;
      own[put]({ ...change, at });
    });
    assert.equal(codesOf(verdict).includes('kinds_mixed'), true, put);
  }
});
