import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyParser, isListedKind, KIND_NOUNS } from '@assay/core/kind/kinds';
import type { WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

const parse = bodyParser(sha256);

test('kinds: the bodies of the entry vectors are understood, or reported as not understood', () => {
  for (const { entry } of vectors<{ entry: { kind: string; body: WireObject } }[]>(
    'entry/entries',
  )) {
    const known = parse(entry.kind, entry.body);
    if (entry.kind === 'score-rule/12') assert.equal(known, undefined);
    else assert.deepEqual(known, { kind: entry.kind, body: entry.body });
    assert.equal(isListedKind(entry.kind), true);
  }
});

test('kinds: another version of a kind is another kind', () => {
  assert.equal(parse('note/2', { text: 'x' }), undefined);
  assert.equal(parse('note', { text: 'x' }), undefined);
  assert.equal(parse('toString/1', {}), undefined);
});

test('kinds: a body that does not fit its kind is malformed, with its place', () => {
  assert.throws(() => parse('note/1', {}), { code: 'malformed', at: 'body' });
  assert.throws(() => parse('note/1', { text: '' }), { code: 'malformed', at: 'body.text' });
  assert.throws(() => parse('rule/1', { rule: {} }), { code: 'malformed', at: 'body.rule' });
});

test('kinds: the list of nouns is closed', () => {
  assert.equal(new Set(KIND_NOUNS).size, 33);
  for (const noun of KIND_NOUNS) assert.equal(isListedKind(`${noun}/1`), true);
  for (const kind of ['gossip/1', '', '/1', 'note', 'genesi', 'Note/1', 'note-/1']) {
    assert.equal(isListedKind(kind), false, kind);
  }
});
