import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerRpc,
  answerRpcText,
  MAX_BATCH,
  MAX_BATCH_TEXT,
  type RpcMethod,
  type RpcMethods,
} from '@assay/chain/development/json-rpc';
import { invalidParams, RPC_CODES, RpcError } from '@assay/chain/development/rpc-error';
import fc from 'fast-check';

const METHODS: RpcMethods = new Map<string, RpcMethod>([
  ['echo', (params) => params.length],
  [
    'refuse',
    () => {
      throw new RpcError('min_context_slot', 'later', { contextSlot: 7 });
    },
  ],
  [
    'break',
    () => {
      throw new TypeError('oh');
    },
  ],
]);

const call = { jsonrpc: '2.0', id: 1, method: 'echo', params: [1, 2] };

function codeOf(request: unknown): number | undefined {
  const answer = answerRpc(request, METHODS) as { error?: { code: number } };
  return answer.error?.code;
}

test('json-rpc: a call is answered under its id', () => {
  assert.deepEqual(answerRpc(call, METHODS), { jsonrpc: '2.0', id: 1, result: 2 });
  assert.deepEqual(answerRpc({ ...call, id: 'a', params: undefined }, METHODS), {
    jsonrpc: '2.0',
    id: 'a',
    result: 0,
  });
  assert.equal(answerRpcText(JSON.stringify(call), METHODS), '{"jsonrpc":"2.0","id":1,"result":2}');
});

test('json-rpc: each mistake has its code', () => {
  assert.equal(codeOf({ ...call, method: 'none' }), -32_601);
  for (const method of ['constructor', '__proto__', 'toString']) {
    assert.equal(codeOf({ ...call, method }), -32_601, method);
  }
  assert.equal(codeOf({ ...call, params: { a: 1 } }), -32_602);
  assert.equal(codeOf({ ...call, jsonrpc: '1.0' }), -32_600);
  assert.equal(codeOf({ ...call, method: 7 }), -32_600);
  assert.equal(codeOf({ ...call, id: {} }), -32_600);
  assert.equal(codeOf({ ...call, id: 'x'.repeat(257) }), -32_600);
  for (const value of [null, 7, 'x', true, []]) assert.equal(codeOf(value), -32_600);
  assert.equal(codeOf({ ...call, method: 'break' }), RPC_CODES.internal_error);
  assert.match(answerRpcText('{', METHODS) ?? '', /-32700/);
  assert.deepEqual(answerRpc({ ...call, method: 'refuse' }, METHODS), {
    jsonrpc: '2.0',
    id: 1,
    error: { code: -32_016, message: 'later', data: { contextSlot: 7 } },
  });
  assert.equal(invalidParams('x').code, 'invalid_params');
});

test('json-rpc: a call without an id is not carried out', () => {
  let calls = 0;
  const methods: RpcMethods = new Map([['ping', () => (calls += 1)]]);
  assert.equal(answerRpc({ jsonrpc: '2.0', method: 'ping' }, methods), undefined);
  assert.equal(answerRpc([{ jsonrpc: '2.0', method: 'ping' }], methods), undefined);
  assert.equal(calls, 0);
});

test('json-rpc: a batch has an answer for each, and a limit', () => {
  const batch = [call, { jsonrpc: '2.0', method: 'echo' }, 7, { ...call, id: 2 }];
  const answers = answerRpc(batch, METHODS) as { id: unknown }[];
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, null, 2],
  );
  const calls = (length: number): unknown[] => Array.from({ length }, () => call);
  assert.equal((answerRpc(calls(MAX_BATCH), METHODS) as unknown[]).length, MAX_BATCH);
  assert.equal(codeOf(calls(MAX_BATCH + 1)), -32_600);
});

test('json-rpc: a batch whose answers are long is cut short', () => {
  const methods: RpcMethods = new Map([['long', () => 'x'.repeat(MAX_BATCH_TEXT / 2)]]);
  const batch = Array.from({ length: 4 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'long' }));
  const answers = JSON.parse(answerRpcText(JSON.stringify(batch), methods) ?? '') as object[];
  assert.deepEqual(
    answers.map((each) => 'error' in each),
    [false, false, true, true],
  );
});

test('json-rpc: no text makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const answer = answerRpcText(text, METHODS);
      if (answer !== undefined) JSON.parse(answer);
    }),
  );
  const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
  assert.match(answerRpcText(deep, METHODS) ?? '', /-32600/);
});
