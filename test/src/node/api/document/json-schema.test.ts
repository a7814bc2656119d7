import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BASIS_MARK,
  exampleOf,
  innerSchemas,
  type JsonSchema,
  markBasis,
  resolveSchema,
} from '@assay/node/api/document/json-schema';

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

function table(): Record<string, JsonSchema> {
  return {
    Leaf: {
      type: 'object',
      properties: { a: { type: 'string', examples: ['x'] }, gone: { type: 'string' } },
      required: ['a'],
    },
    Tree: {
      type: 'object',
      properties: {
        leaf: ref('Leaf'),
        leaves: { type: 'array', items: ref('Leaf') },
        maybe: { anyOf: [{ type: 'string', examples: ['y'] }, { type: 'null' }] },
        nothing: { type: 'null' },
        fixed: { const: 7 },
        none: { type: 'array', items: false },
        byName: { type: 'object', additionalProperties: ref('Leaf'), examples: [{ k: 1 }] },
        inline: { type: 'object', properties: { b: { type: 'string' } }, required: [] },
      },
      required: ['leaf', 'leaves', 'maybe', 'nothing', 'fixed', 'none', 'byName', 'inline'],
    },
    Loop: { type: 'object', properties: { again: ref('Loop') } },
  };
}

test('schemas: every field below gets the basis of its answer', () => {
  const schemas = table();
  markBasis(schemas, { type: 'array', items: ref('Tree') }, 'folded');
  const walk = (schema: JsonSchema): void => {
    for (const field of Object.values(schema.properties ?? {})) {
      assert.equal(field[BASIS_MARK], 'folded');
    }
    for (const inner of innerSchemas(schema)) if (inner.$ref === undefined) walk(inner);
  };
  walk(schemas['Tree'] as JsonSchema);
  walk(schemas['Leaf'] as JsonSchema);
  markBasis(schemas, ref('Loop'), 'live');
  assert.equal(schemas['Loop']?.properties?.['again']?.[BASIS_MARK], 'live');
});

test('schemas: a mark of a field holds for what is inside, and none gets both', () => {
  const schemas = table();
  const problem: JsonSchema = {
    type: 'object',
    properties: { title: { type: 'string' }, void: { ...ref('Leaf'), [BASIS_MARK]: 'folded' } },
  };
  markBasis(schemas, problem, 'live');
  assert.equal(problem.properties?.['title']?.[BASIS_MARK], 'live');
  assert.equal(problem.properties?.['void']?.[BASIS_MARK], 'folded');
  assert.equal(schemas['Leaf']?.properties?.['a']?.[BASIS_MARK], 'folded');
  const torn: JsonSchema = {
    type: 'object',
    properties: { one: ref('Leaf'), other: { ...ref('Leaf'), [BASIS_MARK]: 'live' } },
  };
  assert.throws(() => markBasis(table(), torn, 'folded'), TypeError);
});

test('schemas: an example is made of the examples of the parts', () => {
  assert.deepEqual(exampleOf(table(), ref('Tree')), {
    leaf: { a: 'x' },
    leaves: [{ a: 'x' }],
    maybe: 'y',
    nothing: null,
    fixed: 7,
    none: [],
    byName: { k: 1 },
    inline: {},
  });
  assert.throws(() => exampleOf({}, { type: 'string' }), TypeError);
  assert.throws(() => resolveSchema({}, ref('Nope')), TypeError);
});
