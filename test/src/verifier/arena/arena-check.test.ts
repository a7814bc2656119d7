import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArenaRule } from '@assay/core/arena/rule/arena-rule';
import { pendingRounds } from '@assay/core/view/rounds';
import { ArenaCheck } from '@assay/verifier/arena/arena-check';
import type { CheckContext } from '@assay/verifier/check/read-check';
import type { Environment } from '@assay/verifier/verdict/environment';
import { NotCheckedList, type Verdict } from '@assay/verifier/verdict/verdict';
import { arenaRule } from '../../core/arena/arena-rule-fixture.ts';
import { SampleLog, sha256 } from '../../core/fixture/fixture.ts';
import { ARENA_MISDEEDS } from '../fixture/arena-misdeeds.ts';
import {
  arenaRoundLog,
  RICH_WEEK,
  roundOf,
  SHUT_WEEK,
  VOID_WEEK,
} from '../fixture/arena-rounds.ts';
import { Forge } from '../fixture/forge.ts';
import { OWN } from '../../core/timelock/timelock-vectors.ts';
import { folderOf, judgeFolder, judgeSite, publish, siteOf } from '../fixture/published.ts';

const log = await arenaRoundLog();
const published = publish(log.entries, log.blobs, log.checkpoints);

function reservations(verdict: Verdict): readonly string[] {
  return verdict.outcome === 'verified' ? verdict.not_checked.map(({ what }) => what) : [];
}

test('arena check: an honest log is verified, with everything counted', async () => {
  for (const verdict of [
    await judgeSite(siteOf(published)),
    await judgeFolder(folderOf(published)),
  ]) {
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    const { rounds, forecasts, openings, grades } = verdict.checked;
    // Four rounds with points: two handles each, a third one in the last, and two of the house. Six sealed forecasts count
    // in the rounds that were opened.
    assert.deepEqual(
      { rounds, forecasts, openings, grades },
      { rounds: 6, forecasts: 19, openings: 6, grades: 4 * 4 + 1 },
    );
    assert.ok(reservations(verdict).some((what) => what.includes('a handle with a secret')));
    // The chain of the vectors has one holder, as that of the development network.
    const early = `that no sealed forecast was opened early by whoever holds the key of drand chain ${OWN.hash}`;
    assert.ok(reservations(verdict).includes(early), reservations(verdict).join('\n'));
    const named = reservations(verdict).filter((what) => what.startsWith('the independence from'));
    assert.match(named.join('\n'), /witness-0[^\n]* witness-1[^\n]* witness-2/);
  }
  assert.deepEqual(pendingRounds(published.views), []);
});

test('arena check: a drand chain is named unless it is quicknet', () => {
  const named = (...rules: readonly ArenaRule[]): readonly string[] => {
    const { views } = rules.reduce((made, rule, i) => {
      made.append('arena-rule/1', { rule: { ...rule, version: i + 1 } });
      return made;
    }, new SampleLog());
    const notChecked = new NotCheckedList();
    const context = { notChecked } as unknown as CheckContext;
    new ArenaCheck({ sha256 } as unknown as Environment, context, 1).finish(views, '');
    return notChecked.list.map(({ what }) => what);
  };
  const real = arenaRule('whole');
  assert.ok(real.arena !== null && real.arena.drand.beacon_id === 'quicknet');
  assert.deepEqual(named(arenaRule('referee'), real), []);
  const own = { ...real, arena: { ...real.arena, drand: OWN } };
  const [what = '', ...others] = named(own, own, real);
  assert.match(what, new RegExp(`of drand chain ${OWN.hash}$`));
  assert.deepEqual(others, []);
});

test('arena check: more sealed forecasts than the limit are named, and nothing else is held back', async () => {
  const verdict = await judgeSite(siteOf(published), {}, { limits: { openings: 3 } });
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.equal(verdict.checked.openings, 3);
  const what = 'the points of 2 rounds with more sealed forecasts than were left to open';
  assert.ok(reservations(verdict).includes(what), reservations(verdict).join('\n'));
});

test('arena check: the budget ends a verification that would open too much', async () => {
  const verdict = await judgeSite(siteOf(published), {}, { limits: { steps: 40_000_000 } });
  assert.equal(verdict.outcome, 'incomplete', JSON.stringify(verdict, null, 1));
});

test('arena check: a round that the operator abandons is named', async () => {
  for (const [kind, entry] of [
    ['freeze/1', 'freeze'],
    ['unseal/1', 'unsealing'],
    ['grade/1', 'grades'],
  ] as const) {
    const forge = new Forge(log);
    const kinds = ['freeze/1', 'unseal/1', 'grade/1'];
    const gone = kinds.slice(kinds.indexOf(kind));
    // Of the first round, so that what its handles have is not yet part of anything.
    const id = roundOf('2026-08-01');
    const after = forge.drafts.findIndex(({ body }) => body['id'] === roundOf('2026-08-08'));
    forge.drafts.length = after + 1;
    const kept = forge.drafts.filter(
      (each) => !(gone.includes(each.kind) && each.body['round'] === id),
    );
    forge.drafts.splice(0, forge.drafts.length, ...kept);
    const verdict = await judgeSite(siteOf(forge.publish()));
    assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
    assert.ok(
      reservations(verdict).some((what) =>
        what.includes(`rounds of the Arena without their ${entry}`),
      ),
      reservations(verdict).join('\n'),
    );
  }
});

test('arena check: rounds that were never made, or made late, and voids are named', async () => {
  const forge = new Forge(log);
  const id = roundOf(VOID_WEEK);
  const kept = forge.drafts.filter(({ body }) => body['id'] !== id && body['round'] !== id);
  forge.drafts.splice(0, forge.drafts.length, ...kept);
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  const lines = reservations(verdict);
  const never = `rounds of the Arena that were due and were never made of ${id}`;
  assert.ok(lines.includes(never), lines.join('\n'));
  assert.ok(lines.some((what) => what.includes('made over five minutes after they opened')));
  assert.ok(
    lines.includes(`that rounds of the Arena had to be void (no_beacon) of ${roundOf(SHUT_WEEK)}`),
    lines.join('\n'),
  );
  const whole = reservations(await judgeSite(siteOf(published)));
  assert.ok(!whole.some((what) => what.includes('never made')), whole.join('\n'));
});

test('arena check: a log that ends in the middle of a round has nothing that is late', async () => {
  const forge = new Forge(log);
  const { seq } = forge.newest(
    ({ kind, body }) => kind === 'freeze/1' && body['round'] === roundOf(RICH_WEEK),
  );
  forge.drafts.length = seq;
  const verdict = await judgeSite(siteOf(forge.publish()));
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict, null, 1));
  assert.ok(!reservations(verdict).some((what) => what.includes('rounds of the Arena without')));
});

test('arena check: each lie that witnesses help with has findings of the Arena alone', async () => {
  // A forecast that is dated back stands beside later times as well.
  const own = /^(round|forecast|freeze|openings|unseal|grade)_|^time_decreases$/;
  for (const misdeed of ARENA_MISDEEDS) {
    const verdict = await misdeed.verdict(undefined as never);
    assert.equal(verdict.outcome, 'findings', misdeed.name);
    if (verdict.outcome !== 'findings') continue;
    const foreign = verdict.findings.filter(({ code }) => !own.test(code));
    assert.deepEqual(foreign, [], misdeed.name);
  }
});
