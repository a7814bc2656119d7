import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closedBody, namesUnder } from '@assay/node/api/document/closed-body';
import type { JsonSchema } from '@assay/node/api/document/json-schema';

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

test('bodies: what is sent is closed at every depth, and what answers share stays loose', () => {
  const table: Record<string, JsonSchema> = {
    Sent: {
      type: 'object',
      properties: { inner: ref('Inner'), list: { type: 'array', items: ref('Inner') } },
    },
    Inner: {
      type: 'object',
      properties: { type: { type: 'string', examples: ['x'] } },
      additionalProperties: {},
    },
  };
  assert.deepEqual([...namesUnder(table, [ref('Sent')])], ['Sent', 'Inner']);
  assert.deepEqual(closedBody(table, ref('Sent'), new Set(['Inner'])), ref('Sent'));
  assert.equal(table['Sent']?.additionalProperties, false);
  assert.deepEqual(table['Sent']?.properties?.['inner'], ref('InnerBody'));
  assert.equal(table['InnerBody']?.additionalProperties, false);
  assert.deepEqual(table['Inner']?.additionalProperties, {});
  assert.deepEqual(table['InnerBody']?.properties?.['type'], { type: 'string', examples: ['x'] });
});
