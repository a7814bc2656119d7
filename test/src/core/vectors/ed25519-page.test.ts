import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import { isTorsionFreeKey } from '@assay/verifier/ed25519/signature';
import {
  readCases,
  type SignatureCase,
  SMALL_ORDER_ENCODINGS,
} from '../../verifier/fixture/ed25519-cases.ts';
import { ROOT, vectors } from '../fixture/fixture.ts';
import type { RegistrationCase } from './registration-cases.ts';

const PAGE = readFileSync(join(ROOT, 'docs/spec/ed25519.md'), 'utf8');
const ROWS = [...PAGE.matchAll(/^\| ([0-9]) \|[^|]*\|([^|]*)\|$/gm)].map(([, rule, cell = '']) => ({
  rule: Number(rule),
  names: [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string),
}));
const ACCEPTED = [
  'RFC 8032',
  'honest',
  'key with torsion, k a multiple of 8',
  'key and R with torsion that cancels',
];

/** The beginning of a name on the page that names a row: the longest, for `honest key` begins with `honest`. */
function rowOf({ name }: SignatureCase): string | undefined {
  const all = [...ROWS.flatMap(({ names }) => names), ...ACCEPTED];
  const found = all.filter((each) => name.startsWith(each));
  return found.toSorted((a, b) => b.length - a.length)[0];
}

test('ed25519 page: each vector stands for one rule, or is named as accepted, and none is left out', () => {
  assert.deepEqual(
    ROWS.map(({ rule }) => rule),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  const met = new Set<string>();
  for (const each of readCases()) {
    const named = rowOf(each);
    assert.ok(named !== undefined, each.name);
    assert.equal(ACCEPTED.includes(named), each.accepted, each.name);
    met.add(named);
  }
  for (const { names } of ROWS) for (const name of names) assert.ok(met.has(name), name);
  const flat = PAGE.replaceAll(/\s+/g, ' ');
  for (const name of ACCEPTED) assert.ok(flat.includes(`\`${name}\``), name);
});

test('ed25519 page: its small points are all that are canonical', () => {
  const [, block = ''] = /```text small-order\n(.*?)\n```/s.exec(PAGE) ?? [];
  const listed = block.split('\n');
  const isCanonical = (hex: string): boolean => !/^e[df]|^ee/.test(hex) || !/f{20}/.test(hex);
  const clear = SMALL_ORDER_ENCODINGS.filter(isCanonical).map((hex) => {
    const bytes = parseHex(hex, 32);
    const last = (bytes[31] as number) & 0x7f;
    return hex.slice(0, 62) + last.toString(16).padStart(2, '0');
  });
  assert.deepEqual(listed, [...new Set(clear)].sort());
});

test('ed25519 registration vectors: by the check of sets and keys', () => {
  for (const { name, public_key, registered } of vectors<readonly RegistrationCase[]>(
    'ed25519/registration',
  )) {
    assert.equal(isTorsionFreeKey(parseHex(public_key)), registered, name);
  }
});
