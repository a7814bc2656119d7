import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretHandle } from '@assay/core/arena/forecast/handle';
import { parseHex } from '@assay/core/bytes/hex';
import { isGraded } from '@assay/core/view/rounds';
import { sha256, vectors } from '../fixture/fixture.ts';
import {
  type ArenaVector,
  EXAMPLE,
  EXAMPLE_ROUND,
  exampleArena,
  exampleVector,
} from './example-arena.ts';

const VECTOR = vectors<ArenaVector>('arena/example');

test('example of the arena: the code makes the bytes of the vectors again', () => {
  const log = exampleArena();
  assert.deepEqual(exampleVector(log, VECTOR.salts), VECTOR);
  assert.equal(isGraded(log.round(EXAMPLE_ROUND)), true);
  for (const [name, salt] of Object.entries(VECTOR.salts)) {
    const { handle } = EXAMPLE[name as keyof typeof EXAMPLE];
    assert.equal(secretHandle(sha256, parseHex(salt), name), handle, name);
  }
});

test('example of the arena: it has what the page says of it', () => {
  const grade = VECTOR.entries.findLast(({ kind }) => kind === 'grade/1')?.body;
  const { results, unopened, count } = grade as {
    readonly results: readonly { readonly handle: string; readonly value: string | null }[];
    readonly unopened: number;
    readonly count: number;
  };
  assert.deepEqual([count, unopened, results.length], [4, 1, 6]);
  const valueOf = (handle: string): string | null | undefined =>
    results.find((each) => each.handle === handle)?.value;
  assert.equal(valueOf(EXAMPLE.ada.handle), '-160', 'the newest one');
  assert.equal(valueOf(EXAMPLE.eve.handle), null, 'a copied ciphertext opens to nothing');
  assert.equal(valueOf(EXAMPLE.kay.handle), '-199');
});
