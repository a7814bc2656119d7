import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { API_VERSION } from '@assay/node/api/document/openapi';
import { MCP_PATH } from '@assay/node/mcp/mcp-route';
import { ROOT } from '../../core/fixture/fixture.ts';

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
