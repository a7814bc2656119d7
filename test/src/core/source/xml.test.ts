import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml } from '@assay/core/source/xml';
import fc from 'fast-check';
import { executedBlocks } from '../../executed-blocks.ts';
import { NO_LIMIT } from '@assay/core/work-budget';

const name = fc.stringMatching(/^[A-Za-z_:][A-Za-z0-9_:.-]{0,6}$/);
const words = fc
  .string({ unit: 'binary' })
  // oxlint-disable-next-line no-control-regex -- what XML has no way to write
  .map((text) => text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''));

function escape(text: string): string {
  const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&#62;' };
  return text.replaceAll(/[&<>]/g, (mark) => named[mark] ?? mark);
}

test('xml: what is written as records is read as those records', () => {
  const record = fc.uniqueArray(fc.tuple(name, words), { selector: ([key]) => key });
  fc.assert(
    fc.property(name, name, fc.array(record), (root, row, records) => {
      const body = records.map(
        (members) =>
          `<${row}>${members.map(([key, text]) => `<${key}>${escape(`x${text}x`)}</${key}>`).join('\n')}</${row}>`,
      );
      const found = parseXml(
        `<${root} a='1'>${body.join('<!-- & -->')}</${root}>`,
        [root, row],
        NO_LIMIT,
      );
      assert.deepEqual(
        found,
        records.map((members) => new Map(members.map(([key, text]) => [key, `x${text}x`]))),
      );
    }),
  );
});

test('xml: any text gives rows or a listed fault', () => {
  const piece = fc.constantFrom(
    '<a>',
    '</a>',
    '<b>',
    '</b>',
    '<b/>',
    '1',
    ' ',
    '&amp;',
    '&',
    '<',
    '>',
    '<!--',
    '-->',
    '<?p',
    '?>',
    ' x="1"',
    '/',
    ']]>',
    '<a',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 14 }).map((all) => all.join('')),
    fc.array(piece, { maxLength: 8 }).map((all) => `<a>${all.join('')}</a>`),
  );
  let read = 0;
  fc.assert(
    fc.property(text, (each) => {
      try {
        parseXml(each, ['a', 'b'], NO_LIMIT);
        read += 1;
      } catch (error) {
        assert.equal((error as { code: string }).code, 'malformed', each);
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(read > 0);
});

test('xml: a fault says where', () => {
  assert.throws(() => parseXml('<a><b></a>', ['a'], NO_LIMIT), {
    code: 'malformed',
    at: 'character 9',
    expected: 'the end of b',
    found: '">"',
  });
});

test('xml: time in proportion', () => {
  const attributes = Array.from({ length: 200_000 }, (_, i) => ` a${i}=""`).join('');
  assert.deepEqual(parseXml(`<a${attributes}/>`, ['a'], NO_LIMIT), [new Map()]);
  const text = '&lt;'.repeat(500_000);
  assert.deepEqual(parseXml(`<a><b>${text}</b></a>`, ['a'], NO_LIMIT), [
    new Map([['b', '<'.repeat(500_000)]]),
  ]);
  assert.throws(() => parseXml(`<a>${'<b '.repeat(500_000)}`, ['a'], NO_LIMIT), {
    code: 'malformed',
  });
});

test('xml: the blanks before the first child of a record are not read again for every other child', () => {
  const page = (size: number): string => {
    const children = Array.from({ length: size }, (_, i) => `<c${i}/>`).join('');
    return `<a><b>${' '.repeat(size)}${children}</b></a>`;
  };
  for (const size of [1000, 4000]) {
    const text = page(size);
    const blocks = executedBlocks(() => {
      assert.equal(parseXml(text, ['a', 'b'], NO_LIMIT)[0]?.size, size);
    });
    assert.ok(blocks <= 20 * text.length, `${blocks} blocks run for ${text.length} characters`);
  }
  assert.throws(() => parseXml('<a><b> x <c/></b></a>', ['a', 'b'], NO_LIMIT), {
    code: 'malformed',
  });
  assert.throws(() => parseXml('<a><b> <c/> x</b></a>', ['a', 'b'], NO_LIMIT), {
    code: 'malformed',
  });
});
