import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bounds, commitModel, type Variant } from './commit-model.ts';
import { type Explored, explore } from './explore.ts';

/** Wide enough for a promotion after a cut, a kill, and a writer that comes back. */
const BOUNDS: Bounds = { entries: 2, takes: 3, crashes: 1, cuts: 1 };

const found = (variant: Variant): Explored => explore(commitModel(variant, BOUNDS));

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

test('commit: bounds that are too wide are told, and nothing is said of them', () => {
  assert.throws(() => explore(commitModel({}, BOUNDS), 1000), RangeError);
});
