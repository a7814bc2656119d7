import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import {
  type Judged,
  judgeRecipe,
  type Recipe,
  recipeAlone,
  recipeOf,
  shrink,
  Tally,
} from './adversary/adversary.ts';
import { type Misdeed, MISDEEDS } from './adversary/misdeeds.ts';

/**
 * An adversary that holds every key of a publisher composes logs at random, with the truth beside each, and asks the
 * verifier of every one. `ASSAY_ADVERSARY_LOGS=20000` makes so many (150 without), `ASSAY_ADVERSARY_SEED=WORD` the very
 * logs of an earlier run (each run prints its own), `ASSAY_ADVERSARY_FROM=N` those from the Nth on, and
 * `ASSAY_ADVERSARY_REPORT=FILE` appends what it found and the totals so far to a file.
 */
const LOGS = Number(process.env['ASSAY_ADVERSARY_LOGS'] ?? 150);
const FROM = Number(process.env['ASSAY_ADVERSARY_FROM'] ?? 0);
const SEED = process.env['ASSAY_ADVERSARY_SEED'] ?? randomBytes(6).toString('hex');
const REPORT = process.env['ASSAY_ADVERSARY_REPORT'];

/** Logs that it could fool a verifier with, each made as small as it can be; shown in full, and no more than a few. */
const MOST_SHOWN = 5;

/**
 * Holes that are known and not closed yet. What matches is counted and shown; anything else fails. To be emptied.
 */
const OPEN: readonly RegExp[] = [];

function note(t: TestContext, line: string): void {
  t.diagnostic(line);
  if (REPORT !== undefined) appendFileSync(REPORT, `${line}\n`);
}

async function run(t: TestContext, made: Iterable<Recipe>): Promise<Tally> {
  const tally = new Tally();
  const holes: Judged[] = [];
  let known = 0;
  for (const recipe of made) {
    const judged = await judgeRecipe(recipe);
    tally.add(judged);
    if (tally.logs % 500 === 0) note(t, `${tally.logs} logs so far, ${holes.length} wrong answers`);
    if (judged.fooled.length === 0) continue;
    if (judged.fooled.every((each) => OPEN.some((open) => open.test(each)))) {
      known += 1;
      continue;
    }
    const smallest = await shrink(judged);
    note(t, lineOf(smallest));
    holes.push(smallest);
    if (holes.length >= MOST_SHOWN) break;
  }
  for (const line of tally.lines()) note(t, line);
  if (known > 0) note(t, `${known} logs through holes that are known`);
  assert.deepEqual(holes.map(lineOf), []);
  return tally;
}

function lineOf({ recipe, applied, entries, fooled }: Judged): string {
  return JSON.stringify({ ...recipe, entries, applied, fooled });
}

function* recipes(seed: string, from: number, count: number): Generator<Recipe> {
  for (let i = from; i < from + count; i += 1) yield recipeOf(`${seed} ${i}`);
}

test('adversary: no log of the fixed seed fools a verifier', async (t) => {
  await run(t, recipes('fixed', 0, Math.min(60, LOGS)));
});

test('adversary: no log of a seed of its own fools a verifier', async (t) => {
  note(t, `ASSAY_ADVERSARY_SEED=${SEED} ASSAY_ADVERSARY_FROM=${FROM} ASSAY_ADVERSARY_LOGS=${LOGS}`);
  const tally = await run(t, recipes(SEED, FROM, LOGS));
  assert.ok((tally.outcomes.get('honest, verified') ?? 0) > 0, 'an honest log among them');
});

test('adversary: honest logs are verified, as they are served, exported and stored, and so are their numbers', async (t) => {
  const honest = Array.from({ length: Math.min(40, LOGS) }, (_, i) => ({
    ...recipeOf(`honest ${i}`),
    misdeeds: [],
  }));
  const tally = await run(t, honest);
  assert.deepEqual([...tally.outcomes.keys()], ['honest, verified']);
  assert.ok(tally.bundles.settled > 0);
  assert.ok(tally.late > 0, 'a late number among them');
});

/** Logs that a misdeed has until one of them has room for it, and a verdict that tells. */
const TRIES = 24;

for (const [i, misdeed] of MISDEEDS.entries()) {
  test(`adversary: ${misdeed.name}, alone`, async (t) => {
    await isReached(t, misdeed, i);
  });
}

/** A misdeed is done in some log, and then it is caught, or it is one that a log may do. */
async function isReached(t: TestContext, { lawful }: Misdeed, at: number): Promise<void> {
  for (let i = 0; i < TRIES; i += 1) {
    const judged = await judgeRecipe(recipeAlone(`alone ${i}`, at));
    const { applied, codes, outcome, bundles } = judged;
    if (applied.length === 0) continue;
    if (lawful === true && outcome === 'verified') return;
    if (lawful !== true && (outcome === 'findings' || bundles.refused > 0)) {
      t.diagnostic(`caught in log ${i}: ${codes.join(', ') || 'by a number of it'}`);
      return;
    }
  }
  assert.fail(
    lawful === true ? 'no log that did this was let through' : 'no log that did this was caught',
  );
}
