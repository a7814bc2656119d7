import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Delimiter, DELIMITERS, parseCsv } from '@assay/core/source/csv';
import { Fault } from '@assay/core/fault';
import fc from 'fast-check';
import { NO_LIMIT } from '@assay/core/work-budget';

function field(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function format(rows: readonly (readonly string[])[], delimiter: Delimiter, end: string): string {
  return rows.map((row) => row.map(field).join(delimiter)).join(end);
}

test('csv: every table of quoted fields reads back', () => {
  const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 });
  const tables = names.chain((header) =>
    fc.tuple(
      fc.constant(header),
      fc.array(
        fc.array(fc.string({ unit: 'binary' }), {
          minLength: header.length,
          maxLength: header.length,
        }),
      ),
    ),
  );
  fc.assert(
    fc.property(
      tables,
      fc.constantFrom(...DELIMITERS),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      ([header, rows], delimiter, end, last) => {
        const text = format([header, ...rows], delimiter, end) + (last ? end : '');
        const expected = rows.map((row) => new Map(header.map((name, i) => [name, row[i]])));
        assert.deepEqual(parseCsv(text, delimiter, NO_LIMIT), expected);
      },
    ),
  );
});

test('csv: any text gives rows or a fault, and every row has every column', () => {
  const piece = fc.constantFrom(',', '"', '\n', '\r\n', '\r', 'a', ' ', '""', '\u00a0', '1');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      let rows: readonly ReadonlyMap<string, string>[];
      try {
        rows = parseCsv(text, ',', NO_LIMIT);
      } catch (error) {
        assert.ok(error instanceof Fault && error.code === 'malformed', text);
        return;
      }
      for (const row of rows) assert.deepEqual([...row.keys()], [...(rows[0]?.keys() ?? [])]);
    }),
    { numRuns: 5000 },
  );
});

test('csv: a fault names the record', () => {
  assert.throws(() => parseCsv('a,b\n1,2\n3\n', ',', NO_LIMIT), {
    code: 'malformed',
    at: 'record 3',
    expected: '2 fields',
    found: '1',
  });
});
