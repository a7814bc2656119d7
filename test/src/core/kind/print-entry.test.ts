import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyParser } from '@assay/core/kind/kinds';
import { parsePrintEntry } from '@assay/core/kind/print-entry';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

interface EntryVector {
  readonly name: string;
  readonly body: WireObject;
  readonly canonical: string;
}
const ENTRIES = vectors<readonly EntryVector[]>('print-entry/entries');

test('print entry: exact bytes', () => {
  for (const { name, body, canonical } of ENTRIES) {
    assert.equal(Buffer.from(formatWire(body)).toString(), canonical, name);
    assert.deepEqual(parsePrintEntry(parseWire(formatUtf8(canonical)), 'body'), body, name);
    assert.deepEqual(bodyParser(sha256)('print/1', body), { kind: 'print/1', body });
  }
});

test('print entry: what is none is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    readonly change: WireObject;
    readonly at: string;
  }
  const { body: good } = ENTRIES[0] as EntryVector;
  for (const { name, change, at } of vectors<readonly Refused[]>('print-entry/refused')) {
    assert.throws(
      () => parsePrintEntry({ ...good, ...change }, 'body'),
      { code: 'malformed', at },
      name,
    );
  }
  for (const member of Object.keys(good)) {
    const { [member]: _gone, ...rest } = good;
    assert.throws(() => parsePrintEntry(rest, 'body'), { code: 'malformed', at: 'body' }, member);
  }
});
