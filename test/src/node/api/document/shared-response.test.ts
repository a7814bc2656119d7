import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiResponse,
} from '@assay/node/api/document/openapi-document';
import { ERRORS_MARK } from '@assay/node/api/document/problem-response';
import {
  inlineResponses,
  resolveResponse,
  shareResponses,
} from '@assay/node/api/document/shared-response';

const HALTED: OpenApiResponse = { description: 'Halted.', [ERRORS_MARK]: ['halted'] };
const LIMITED = { RateLimit: { $ref: '#/components/headers/RateLimit' } };
const FOLDED = { ...LIMITED, 'Assay-Log-Size': { $ref: '#/components/headers/Assay-Log-Size' } };

function operation(id: string, responses: Record<string, OpenApiResponse>): OpenApiOperation {
  const ok = { description: 'It is there.' };
  return {
    operationId: id,
    tags: [],
    summary: '',
    description: '',
    responses: { 200: ok, ...responses },
  };
}

function documentOf(...all: readonly Record<string, OpenApiResponse>[]): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'T', version: '1', description: 'D' },
    servers: [],
    tags: [],
    paths: Object.fromEntries(all.map((each, i) => [`/${i}`, { get: operation(`get${i}`, each) }])),
    components: { schemas: {}, headers: {} },
  };
}

test('shared responses: what two operations have in common is a component, and nothing else', () => {
  const missing = { description: 'Missing.', [ERRORS_MARK]: ['not_found'] };
  const before = documentOf({ 503: HALTED, 404: missing }, { 503: HALTED });
  const shared = shareResponses(before);
  const [first, second] = ['/0', '/1'].map((path) => shared.paths[path]?.get?.responses);
  assert.deepEqual(first?.['503'], { $ref: '#/components/responses/HaltedUncounted' });
  assert.deepEqual(second?.['503'], first?.['503']);
  assert.deepEqual(first?.['404'], missing);
  // A success is what an operation is for: it stays where it is read.
  assert.deepEqual(first?.['200'], { description: 'It is there.' });
  assert.deepEqual(shared.components.responses, { HaltedUncounted: HALTED });
  assert.deepEqual(inlineResponses(shared), before);
  assert.deepEqual(resolveResponse(shared, first?.['503'] as OpenApiResponse), HALTED);
  const nowhere = { $ref: '#/components/responses/Nowhere' } as OpenApiResponse;
  assert.throws(() => resolveResponse(shared, nowhere), /no response/);
});

test('shared responses: a name says what sets responses of one code apart', () => {
  const counted = { ...HALTED, headers: LIMITED };
  const other = { ...counted, description: 'Halted, in other words.' };
  const same = { description: 'Nothing has changed.', headers: LIMITED };
  const folded = { ...same, headers: FOLDED };
  const all = [HALTED, counted, other].map((each) => ({ 503: each }));
  const unchanged = [same, folded].map((each) => ({ 304: each }));
  const each = [...all, ...unchanged];
  const before = documentOf(...each, ...each);
  const shared = shareResponses(before);
  assert.deepEqual(Object.keys(shared.components.responses ?? {}).sort(), [
    'Halted',
    'Halted2',
    'HaltedUncounted',
    'NotModified',
    'NotModifiedFolded',
  ]);
  assert.deepEqual(inlineResponses(shared), before);
});
