import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import { interfaceHash, REVISION } from '@assay/node/api/document/revision';
import { terminalWorld } from '../terminal-world.ts';

function documentOf(change: (schema: Record<string, unknown>) => void = () => {}): OpenApiDocument {
  const schema = {
    type: 'object',
    description: 'A thing.',
    properties: { description: { type: 'string', examples: ['x'] } },
    required: ['description'],
  };
  change(schema);
  return {
    openapi: '3.1.0',
    info: { title: 'T', version: '1', description: 'D' },
    servers: [],
    tags: [],
    paths: {},
    components: { schemas: { Thing: schema }, headers: {} },
  };
}

test('revision: texts and examples are no change of the interface, members and types are', () => {
  const before = interfaceHash(documentOf());
  assert.match(before, /^[0-9a-f]{64}$/);
  const other = documentOf((schema) => {
    schema['description'] = 'Another text.';
    schema['examples'] = [{ description: 'y' }];
  });
  assert.equal(interfaceHash(other), before);
  for (const change of [
    { properties: {} },
    { properties: { description: { type: 'integer' } } },
    { required: [] },
    { additionalProperties: false },
  ]) {
    const changed = documentOf((schema) => Object.assign(schema, change));
    assert.notEqual(interfaceHash(changed), before, JSON.stringify(change));
  }
});

/** The hash of the interface at `REVISION`. */
const RECORDED = 'cfd156f11e94c0e082c54255a8275c2fc347628a7b03fcee2961f7ab7bcf06f0';

test('revision: the document is that of the recorded revision', async (t) => {
  const { base } = await terminalWorld(t, 'node', 1);
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  const hash = interfaceHash(document);
  assert.equal(
    hash,
    RECORDED,
    `The interface has changed: add a note to node/src/api/changelog/ships.ts, which raises REVISION (${REVISION}), and record ${hash} here.`,
  );
});
