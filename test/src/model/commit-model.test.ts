import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bounds, commitModel, type Variant } from './commit-model.ts';
import { type Explored, explore } from './explore.ts';

/** Wide enough for a promotion after a cut, a kill, and a writer that comes back. */
const BOUNDS: Bounds = { entries: 2, takes: 3, crashes: 1, cuts: 1 };

const found = (variant: Variant, bounds: Bounds = BOUNDS): Explored =>
  explore(commitModel(variant, bounds));

const FORKED = /two signed heads/;
const FORKED_OR_LOST = /two signed heads|is not in the log of the next writer/;

test('commit: no order of steps forks the log or loses what was acknowledged', () => {
  const { states, fault } = found({});
  assert.equal(fault, undefined, JSON.stringify(fault));
  assert.ok(states > 10_000, `only ${states} states`);
});

test('commit: a head that is signed before the guard holds it forks the log', () => {
  assert.match(found({ signFirst: true }).fault?.what ?? '', FORKED);
});

test('commit: a head that is signed on the strength of a read forks the log', () => {
  const { what = '', steps = [] } = found({ signOnRead: true }).fault ?? {};
  assert.match(what, FORKED_OR_LOST);
  // The way to it: a swap whose wait was cut off, a look at the row, and the other database promoted.
  assert.ok(steps.some((step) => /^[ab] reads/.test(step)));
  assert.ok(steps.includes('database 2 is promoted'));
});

test('commit: a guard that asks for no epoch lets a writer go on that was shut out', () => {
  assert.match(found({ noEpoch: true }).fault?.what ?? '', /was shut out wrote/);
});

test('commit: a database that goes on alone forks the log, and a witness does not follow it', () => {
  assert.match(found({ degrades: true }).fault?.what ?? '', FORKED_OR_LOST);
  const { fault } = found({ degrades: true, witnessed: true });
  assert.equal(fault, undefined, JSON.stringify(fault));
});

test('commit: an old primary that is fenced takes nothing, and does not make up for a database that went on alone', () => {
  const { states, fault } = found({ fenced: true });
  assert.equal(fault, undefined, JSON.stringify(fault));
  assert.ok(states > 1000, `only ${states} states`);
  // What the second database never had is gone with the first one, however surely that is off.
  assert.match(found({ fenced: true, degrades: true }).fault?.what ?? '', FORKED_OR_LOST);
});

test('commit: an epoch that is used again after an old backup is held apart by its writer', () => {
  // Fewer entries: what an old backup lacks is found by the witness.
  const bounds: Bounds = { ...BOUNDS, entries: 1, restores: 1 };
  const { states, fault } = found({ witnessed: true }, bounds);
  assert.equal(fault, undefined, JSON.stringify(fault));
  assert.ok(states > 1000, `only ${states} states`);
  const { what = '', steps = [] } = found({ witnessed: true, noWriter: true }, bounds).fault ?? {};
  assert.match(what, /was shut out wrote/);
  assert.ok(steps.includes('database 1 is brought back from an old backup'));
  // Without a witness, and without the copy of a standby, an old backup has forgotten what was acknowledged.
  assert.match(found({}, bounds).fault?.what ?? '', FORKED_OR_LOST);
});

test('commit: bounds that are too wide are told, and nothing is said of them', () => {
  assert.throws(() => explore(commitModel({}, BOUNDS), 1000), RangeError);
});
