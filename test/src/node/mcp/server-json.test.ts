import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { API_VERSION } from '@assay/node/api/document/openapi';
import { MCP_PATH } from '@assay/node/mcp/mcp-route';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { ROOT } from '../../core/fixture/fixture.ts';

const TEXT = { type: 'string', minLength: 1 };

/**
 * What the registry asks of a document that has remotes and no packages, by its schema of 2025-12-11. Members that this document
 * has no use for are left out, so that none comes in unseen. `npm run interop` holds it against the schema itself.
 */
const REGISTRY = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version', 'remotes'],
  additionalProperties: false,
  properties: {
    $schema: {
      const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    },
    name: {
      ...TEXT,
      minLength: 3,
      maxLength: 200,
      pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$',
    },
    title: { ...TEXT, maxLength: 100 },
    description: { ...TEXT, maxLength: 100 },
    // An exact version: the registry refuses ranges.
    version: { ...TEXT, maxLength: 255, pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?$' },
    websiteUrl: { ...TEXT, format: 'uri' },
    remotes: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'url'],
        additionalProperties: false,
        properties: {
          type: { const: 'streamable-http' },
          url: { ...TEXT, pattern: '^https?://[^\\s]+$' },
        },
      },
    },
  },
};

test('server.json: every member is as the schema of the registry has it', () => {
  const ajv = new Ajv();
  formats.default(ajv);
  const fits = ajv.compile(REGISTRY);
  const text = readFileSync(join(ROOT, 'samples', 'mcp', 'server.json'), 'utf8');
  const sample = JSON.parse(text) as { remotes: readonly object[] };
  assert.ok(fits(sample), JSON.stringify(fits.errors));
  for (const change of [
    { name: 'assay' },
    { name: 'a/b/c' },
    { description: 'x'.repeat(101) },
    { description: undefined },
    { version: '^1.3.0' },
    { version: 'latest' },
    { websiteUrl: 'not a uri' },
    { websiteURL: 'https://index.example.org' },
    { remotes: [] },
    { remotes: [{ type: 'http', url: 'https://index.example.org/mcp' }] },
    { remotes: [{ type: 'streamable-http' }] },
    { remotes: [{ type: 'streamable-http', url: 'index.example.org/mcp' }] },
  ]) {
    const changed = JSON.parse(JSON.stringify({ ...sample, ...change })) as object;
    assert.equal(fits(changed), false, JSON.stringify(change));
  }
});

test('server.json: what the registry asks for, and the version of the interface', () => {
  const text = readFileSync(join(ROOT, 'samples', 'mcp', 'server.json'), 'utf8');
  const sample = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const { name, description, version, remotes } = sample as {
    name: string;
    description: string;
    version: string;
    remotes: { type: string; url: string }[];
  };
  assert.equal(version, API_VERSION);
  assert.ok(description.length <= 100, description);
  assert.deepEqual(
    remotes.map(({ type }) => type),
    ['streamable-http'],
  );
  const [{ url } = { url: '' }] = remotes;
  const { protocol, pathname, hostname } = new URL(url);
  assert.deepEqual([protocol, pathname], ['https:', MCP_PATH]);
  // The name of the domain backwards, and one slash.
  assert.equal(name, `${hostname.split('.').reverse().join('.')}/assay`);
  assert.match(name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
});
