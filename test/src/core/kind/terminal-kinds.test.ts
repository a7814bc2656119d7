import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAsset } from '@assay/core/kind/asset';
import { parseBenchmark } from '@assay/core/kind/benchmark';
import { parseEventOpen } from '@assay/core/kind/event';
import { parseEventClose } from '@assay/core/kind/event-close';
import { bodyParser } from '@assay/core/kind/kinds';
import { parseReceiptEntry } from '@assay/core/kind/receipt-entry';
import { parseScoreRuleEntry } from '@assay/core/kind/score-rule-entry';
import { parseSplit } from '@assay/core/kind/split';
import { parseStudy } from '@assay/core/kind/study';
import { parseTick } from '@assay/core/kind/tick';
import type { Parse } from '@assay/core/wire/schema';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

interface EntryVector {
  readonly name: string;
  readonly kind: string;
  readonly body: WireObject;
  readonly canonical: string;
}

const ENTRIES = vectors<readonly EntryVector[]>('terminal/entries');

const PARSERS: Readonly<Record<string, Parse<unknown>>> = {
  'score-rule/1': parseScoreRuleEntry,
  'asset/1': parseAsset,
  'tick/1': parseTick,
  'event/1': parseEventOpen,
  'event-close/1': parseEventClose,
  'receipt/1': parseReceiptEntry,
  'benchmark/1': parseBenchmark,
  'split/1': parseSplit,
  'study/1': parseStudy,
  'study/2': parseStudy,
};

function parserOf(kind: string): Parse<unknown> {
  const parse = PARSERS[kind];
  assert.ok(parse !== undefined, kind);
  return parse;
}

test('terminal kinds: exact bytes', () => {
  for (const { name, kind, body, canonical } of ENTRIES) {
    assert.equal(Buffer.from(formatWire(body)).toString(), canonical, name);
    const read = parseWire(formatUtf8(canonical));
    assert.deepEqual(parserOf(kind)(read, 'body'), body, name);
    assert.deepEqual(bodyParser(sha256)(kind, body), { kind, body }, name);
  }
  assert.deepEqual(new Set(ENTRIES.map(({ kind }) => kind)), new Set(Object.keys(PARSERS)));
});

test('terminal kinds: what is none is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    /** The name of the entry that it is, but for `change`. */
    readonly of: string;
    readonly change: WireObject;
    readonly at: string;
  }
  for (const { name, of, change, at } of vectors<readonly Refused[]>('terminal/refused')) {
    const good = ENTRIES.find((each) => each.name === of);
    assert.ok(good !== undefined, of);
    const parse = parserOf(good.kind);
    assert.throws(
      () => parse({ ...good.body, ...change }, 'body'),
      { code: 'malformed', at },
      name,
    );
  }
});

test('terminal kinds: each member is asked for, and no other is taken', () => {
  for (const { name, kind, body } of ENTRIES) {
    const parse = parserOf(kind);
    for (const member of Object.keys(body)) {
      const { [member]: _gone, ...rest } = body;
      const place = `${name} without ${member}`;
      assert.throws(() => parse(rest, 'body'), { code: 'malformed', at: 'body' }, place);
    }
    assert.throws(() => parse({ ...body, more: 1 }, 'body'), { code: 'malformed', at: 'body' });
  }
});
