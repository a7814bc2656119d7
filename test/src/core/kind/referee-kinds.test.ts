import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

interface EntryVector {
  readonly name: string;
  readonly kind: string;
  readonly body: WireObject;
  readonly canonical: string;
}

const ENTRIES = vectors<readonly EntryVector[]>('referee/entries');
const parse = bodyParser(sha256);

test('referee kinds: exact bytes', () => {
  for (const { name, kind, body, canonical } of ENTRIES) {
    assert.equal(Buffer.from(formatWire(body)).toString(), canonical, name);
    const read = parseWire(formatUtf8(canonical)) as WireObject;
    assert.deepEqual(parse(kind, read), { kind, body }, name);
  }
  const kinds = new Set(ENTRIES.map(({ kind }) => kind));
  assert.deepEqual([...kinds].sort(), ['answers/1', 'outcome/1', 'question/1']);
});

test('referee kinds: what is none is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    /** The name of the entry that it is, but for `change`. */
    readonly of: string;
    readonly change: WireObject;
    readonly at: string;
  }
  const all = vectors<readonly Refused[]>('referee/refused');
  assert.ok(all.length > 20);
  for (const { name, of, change, at } of all) {
    const good = ENTRIES.find((each) => each.name === of);
    assert.ok(good !== undefined, of);
    const body = { ...good.body, ...change };
    assert.throws(() => parse(good.kind, body), { code: 'malformed', at }, name);
  }
});

test('referee kinds: each member is asked for, and no other is taken', () => {
  for (const { name, kind, body } of ENTRIES) {
    for (const member of Object.keys(body)) {
      const { [member]: _gone, ...rest } = body;
      assert.throws(() => parse(kind, rest), { code: 'malformed' }, `${name} without ${member}`);
    }
    assert.throws(() => parse(kind, { ...body, caller: 'x' }), { code: 'malformed' }, name);
  }
});
