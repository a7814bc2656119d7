import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCosignature } from '@assay/core/log/cosignature';
import { formatNote, type NoteSignature, parseNote } from '@assay/core/log/note';
import { MAX_NOTE_BYTES } from '@assay/node/ledger/guard/file-note-slot';
import { joinLines, openMirrored, witnessesOf } from '@assay/node/mirror/mirrored-note';
import { CHECKPOINTS, NOON, someLeaf } from '../ledger/ledger-fixture.ts';
import { KEY, testWitness, withLines } from './mirror-fixture.ts';

const NOTE = CHECKPOINTS.sign(5, someLeaf(1));
const WITNESS = testWitness(11);

function counted(lines: readonly NoteSignature[], maxAgeS: number | null = 60): number {
  const opened = openMirrored(KEY, withLines(NOTE, lines));
  const keys = [WITNESS.key, testWitness(12).key];
  return witnessesOf(opened, { keys, required: 1, maxAgeS, now: () => NOON });
}

test('mirrored note: a note of the key, with its lines', () => {
  const given = withLines(NOTE, [WITNESS.line(NOTE, NOON)]);
  const { bytes, checkpoint } = openMirrored(KEY, given);
  assert.deepEqual(bytes, given);
  assert.equal(checkpoint.size, 5);
});

test('mirrored note: one good line of the key is enough, whatever other lines of it say', () => {
  const [own] = parseNote(NOTE).signatures;
  assert.ok(own !== undefined);
  const bad = { ...own, signature: own.signature.map((byte) => byte ^ 1) };
  assert.deepEqual(openMirrored(KEY, withLines(NOTE, [bad])).bytes, NOTE);
  const { text } = parseNote(NOTE);
  const lines = [bad, ...Array.from({ length: 63 }, () => own)];
  assert.deepEqual(openMirrored(KEY, formatNote({ text, signatures: lines })).bytes, NOTE);
  const only = formatNote({ text, signatures: [bad] });
  assert.throws(() => openMirrored(KEY, only), { code: 'bad_note' });
  // Of other keys, too, there is a line a key.
  const stranger = testWitness(13).line(NOTE, NOON);
  const twice = openMirrored(KEY, withLines(NOTE, [stranger, stranger]));
  assert.deepEqual(twice.bytes, withLines(NOTE, [stranger]));
  assert.throws(() => openMirrored(WITNESS.key, NOTE), { code: 'bad_note' });
});

test('mirrored note: what there is room for is kept, listed witnesses first', () => {
  const others = Array.from({ length: 60 }, (_, i) => testWitness(20 + i).line(NOTE, NOON));
  const given = withLines(NOTE, [...others, WITNESS.line(NOTE, NOON)]);
  const all = openMirrored(KEY, given).note.signatures;
  assert.ok(all.length < 62);
  assert.ok(openMirrored(KEY, given).bytes.length <= MAX_NOTE_BYTES);
  assert.ok(!all.some(({ name }) => name === WITNESS.key.name));
  assert.equal(openMirrored(KEY, given, [WITNESS.key]).note.signatures[1]?.name, WITNESS.key.name);
});

test('mirrored note: a witness counts once, while its line is good and of its time', () => {
  const line = WITNESS.line(NOTE, NOON);
  assert.equal(counted([]), 0);
  assert.equal(counted([line]), 1);
  assert.equal(counted([line, line]), 1);
  assert.equal(counted([line, testWitness(12).line(NOTE, NOON)]), 2);
  assert.equal(counted([testWitness(13).line(NOTE, NOON)]), 0);
  assert.equal(counted([WITNESS.line(NOTE, NOON - 60)]), 1);
  assert.equal(counted([WITNESS.line(NOTE, NOON - 61)]), 0);
  assert.equal(counted([WITNESS.line(NOTE, NOON - 61)], null), 1);
  assert.equal(counted([WITNESS.line(NOTE, NOON + 120)]), 1);
  assert.equal(counted([WITNESS.line(NOTE, NOON + 121)]), 0);
  assert.equal(counted([{ ...line, signature: line.signature.map((byte) => byte ^ 1) }]), 0);
  assert.equal(counted([{ ...line, signature: line.signature.slice(1) }]), 0);
  const other = CHECKPOINTS.sign(6, someLeaf(1));
  assert.equal(counted([WITNESS.line(other, NOON)]), 0);
});

test('mirrored note: of a listed key the newest good line is kept, whatever others come', () => {
  const listed = [WITNESS.key, testWitness(12).key];
  const times = ({ note }: ReturnType<typeof openMirrored>) =>
    note.signatures.slice(1, 3).map(({ signature }) => parseCosignature(signature)?.time);
  const line = (ago: number) => WITNESS.line(NOTE, NOON - ago);
  const forged = {
    ...line(0),
    signature: line(0).signature.map((byte, i) => byte ^ (i > 8 ? 1 : 0)),
  };
  const opened = openMirrored(KEY, withLines(NOTE, [line(9), forged, line(5), line(7)]), listed);
  assert.deepEqual(times(opened), [NOON - 5]);
  const second = testWitness(12).line(NOTE, NOON - 3);
  const junk = Array.from({ length: 60 }, (_, i) => testWitness(20 + i).line(NOTE, NOON));
  const later = openMirrored(KEY, withLines(NOTE, [...junk, second, line(6)]), listed);
  const joined = joinLines(later, opened, listed);
  assert.deepEqual(times(joined), [NOON - 5, NOON - 3]);
  assert.ok(joined.bytes.length <= MAX_NOTE_BYTES);
  assert.deepEqual(joinLines(openMirrored(KEY, NOTE, listed), joined, listed).bytes, joined.bytes);
});
