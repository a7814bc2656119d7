import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPLAY_ORIGIN } from '@assay/core/network';
import type { FindingCode } from '@assay/verifier/verdict/finding';
import { Random } from '../../core/terminal/random.ts';
import { Forge } from '../fixture/forge.ts';
import { walked, withMisdeeds } from '../fixture/kept-checks.ts';
import { refereedLog } from '../fixture/refereed-log.ts';

const KINDS = ['question/1', 'answers/1', 'outcome/1', 'question/1', 'outcome/1', 'tick/1'];

test('referee kept: interrupted before every entry, the check says what one says that never was', async () => {
  const log = refereedLog();
  const seen = new Set<FindingCode>();
  const lines = new Set<string>();
  for (let seed = 1; seed <= 24; seed += 1) {
    const draws = new Random(seed);
    const forged = withMisdeeds(log, KINDS, draws, seed === 1 ? 0 : 3);
    // Most logs end somewhere among the entries of a tick, of which some are still owed.
    const due = forged.entries.length - (seed === 1 ? 0 : draws.below(forged.entries.length >> 1));
    const parts = { ...forged, entries: forged.entries.slice(0, due), origin: REPLAY_ORIGIN };
    const whole = await walked(parts, () => false);
    assert.deepEqual(await walked(parts, () => true), whole, `seed ${seed}`);
    for (const { code } of whole.findings) seen.add(code);
    for (const { what } of whole.not_checked) lines.add(what.replaceAll(/\d+/g, 'N'));
    if (seed === 1) assert.deepEqual(whole.findings, []);
  }
  const kinds = ['question', 'outcome', 'answers'];
  const codes = kinds.flatMap((kind) => [`${kind}_missing`, `${kind}_differs`, `${kind}_not_due`]);
  assert.deepEqual(
    codes.filter((code) => !seen.has(code as FindingCode)),
    [],
  );
  for (const start of ['the N questions and outcomes', 'whether each answer to the N questions']) {
    assert.ok(
      [...lines].some((what) => what.startsWith(start)),
      start,
    );
  }
});

test('referee kept: outcomes at a tick that cannot be read are counted behind an interruption', async () => {
  const forge = new Forge(refereedLog());
  const { drafts, blobs } = forge;
  const { seq } = forge.newest(({ kind, body }) => kind === 'outcome/1' && body['score'] !== null);
  const tick = drafts.findLast(({ kind }, i) => i < seq && kind === 'tick/1');
  blobs.delete(tick?.body['blob'] as string);
  const parts = { entries: forge.log.entries, blobs, origin: REPLAY_ORIGIN };
  const whole = await walked(parts, () => false);
  assert.deepEqual(await walked(parts, () => true), whole);
  assert.ok(
    whole.not_checked.some(({ what }) => what.startsWith('1 outcomes of questions at ticks')),
  );
});
