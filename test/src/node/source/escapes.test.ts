import assert from 'node:assert/strict';
import { test } from 'node:test';
import { undoEscapes } from '@assay/node/source/escapes';

const undo = (text: string): string => undoEscapes(Buffer.from(text, 'latin1')).toString('latin1');

test('escapes: one round of each kind', () => {
  const cases: Readonly<Record<string, string>> = {
    '%2b%2B%u002b%U002B': '++++',
    '\\u002f\\U002F\\x2f\\u{2f}\\u{00002F}\\/\\"\\\\': '//////"\\',
    '&#43;&#043;&#x2b;&#X02B;&#43,&plus;&PLUS;': '+++++,++',
    '&amp;&amp&lt;&gtx&AMPersand': '&&<>x&ersand',
    '&sol;&equals;&lowbar;&commat;': '/=_@',
    '%252B': '%2B',
    '&amp;#43;': '&#43;',
    '\\u0026amp;': '&amp;',
    '\\%2b': '\\+',
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(undo(text), expected, text);
});

test('escapes: what is none stays, as the same buffer', () => {
  for (const text of [
    '',
    'plain text',
    '%',
    '%2',
    '%zz',
    '%20%0a%7f%e9',
    '\\',
    '\\n\\t\\0',
    '\\u',
    '\\u002',
    '\\u202f',
    '\\u{2f',
    '\\u{110000}',
    '&',
    '&;',
    '&#;',
    '&#x;',
    '&#999999999999999;',
    '&nbsp;&eacute;&a',
    '\u00e9\u0085%\u00e9',
  ]) {
    const bytes = Buffer.from(text, 'latin1');
    assert.equal(undoEscapes(bytes), bytes, text);
  }
});

test('escapes: a page of nothing else takes no longer than it must', () => {
  for (const unit of ['\\', '\\/', '%2', '%2b', '&amp', '&aaaaaaaaaaaaaaaaa', '&#0', '\\u{0']) {
    const bytes = Buffer.from(unit.repeat(1_000_000 / unit.length));
    const before = performance.now();
    undoEscapes(bytes);
    const took = performance.now() - before;
    assert.ok(took < 2000, `${unit}: ${took} ms`);
  }
});
