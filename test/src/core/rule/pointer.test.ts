import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointer, resolve, scalarText } from '@assay/core/rule/pointer';
import { parseSourceJson, type SourceJson } from '@assay/core/source/source-json';
import fc from 'fast-check';
import { NO_LIMIT } from '@assay/core/work-budget';

test('pointer: the examples of RFC 6901', () => {
  const root = parseSourceJson(
    '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}',
    NO_LIMIT,
  );
  const cases: Readonly<Record<string, string>> = {
    '/foo/0': 'bar',
    '/': '0',
    '/a~1b': '1',
    '/c%d': '2',
    '/e^f': '3',
    '/g|h': '4',
    '/i\\j': '5',
    '/k"l': '6',
    '/ ': '7',
    '/m~0n': '8',
  };
  assert.equal(resolve(root, ''), root);
  for (const [path, text] of Object.entries(cases)) {
    assert.equal(pointer(path, 'ptr'), path);
    assert.equal(scalarText(resolve(root, path), path), text, path);
  }
});

function checkPlaces(root: SourceJson, node: SourceJson, path: string): void {
  assert.equal(resolve(root, path), node, path);
  if (Array.isArray(node)) {
    for (const [i, each] of (node as readonly SourceJson[]).entries())
      checkPlaces(root, each, `${path}/${i}`);
  } else if (node instanceof Map) {
    for (const [key, each] of node as ReadonlyMap<string, SourceJson>) {
      checkPlaces(root, each, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  }
}

test('pointer: every place of a value is found by its own pointer', () => {
  const text = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant('1'),
      fc.array(tie('value')).map((all) => `[${all.join(',')}]`),
      fc.dictionary(fc.constantFrom('a', '', '/', '~', '~1', '0', '__proto__'), tie('value')).map(
        (all) =>
          `{${Object.entries(all)
            .map(([k, v]) => `${JSON.stringify(k)}:${String(v)}`)
            .join(',')}}`,
      ),
    ),
  })).value as fc.Arbitrary<string>;
  fc.assert(
    fc.property(text, (each) => {
      const root = parseSourceJson(each, NO_LIMIT);
      checkPlaces(root, root, '');
    }),
  );
});

test('pointer: only strings and numbers have text', () => {
  assert.equal(scalarText(parseSourceJson('1.50', NO_LIMIT), 'x'), '1.50');
  assert.equal(scalarText('', 'x'), '');
  for (const text of ['null', 'true', '[]', '{}', '{"number":"1"}']) {
    assert.throws(
      () => scalarText(parseSourceJson(text, NO_LIMIT), 'x'),
      { reason: 'malformed' },
      text,
    );
  }
  assert.throws(() => scalarText(undefined, 'x'), { reason: 'malformed' });
});
