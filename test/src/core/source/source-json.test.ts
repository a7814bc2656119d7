import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { isSourceNumber, parseSourceJson, type SourceJson } from '@assay/core/source/source-json';
import fc from 'fast-check';
import { NO_LIMIT } from '@assay/core/work-budget';

/** As `JSON.parse` would have it. */
function plain(value: SourceJson): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isSourceNumber(value)) return Number(value.number);
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(
    [...(value as ReadonlyMap<string, SourceJson>)].map(([k, v]) => [k, plain(v)]),
  );
}

test('source JSON: what the engine parses, it parses to the same', () => {
  fc.assert(
    fc.property(
      fc.json({ stringUnit: 'binary', maxDepth: 5 }),
      fc.constantFrom(undefined, 1, '\t'),
      (text, gap) => {
        const spaced = JSON.stringify(JSON.parse(text), null, gap);
        for (const each of [text, spaced, ` \r\n${text}\t`]) {
          assert.deepEqual(plain(parseSourceJson(each, NO_LIMIT)), JSON.parse(each));
        }
      },
    ),
  );
});

test('source JSON: a text is taken if and only if the engine takes it and no member comes twice', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"a"',
    '"b"',
    '"',
    '\\u0061',
    '\\',
    '1',
    '-',
    '0',
    '.5',
    'e5',
    'E+',
    'true',
    'null',
    ' ',
    '\n',
    'x',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
      const text = pieces.join('');
      let engine: unknown;
      try {
        engine = JSON.parse(text);
      } catch {
        engine = undefined;
      }
      let ours: unknown;
      try {
        ours = plain(parseSourceJson(text, NO_LIMIT));
      } catch (error) {
        assert.equal(faultCode(error), 'malformed', text);
        // Only a member twice is refused where the engine sees nothing wrong.
        assert.ok(
          engine === undefined || /"(a|\\u0061|b)".*:.*"(a|\\u0061|b)".*:/.test(text),
          text,
        );
        return;
      }
      assert.deepEqual(ours, engine, text);
    }),
    { numRuns: 5000 },
  );
});

test('source JSON: a number keeps its text', () => {
  for (const text of ['0', '-0', '1.10', '1e400', '-1E-7', '12345678901234567890.0']) {
    assert.deepEqual(parseSourceJson(text, NO_LIMIT), { number: text });
  }
  assert.equal(isSourceNumber(parseSourceJson('{"number":"1"}', NO_LIMIT)), false);
  assert.equal(isSourceNumber(parseSourceJson('["number"]', NO_LIMIT)), false);
});

function nested(depth: number, inner: string): string {
  return '['.repeat(depth) + inner + ']'.repeat(depth);
}

test('source JSON: 64 levels and no more', () => {
  assert.ok(parseSourceJson(nested(64, '1'), NO_LIMIT));
  assert.ok(parseSourceJson(nested(64, ''), NO_LIMIT));
  for (const text of [nested(65, ''), nested(65, '1'), nested(64, '{}'), '['.repeat(1_000_000)]) {
    assert.throws(() => parseSourceJson(text, NO_LIMIT), { code: 'too_large' });
  }
});
