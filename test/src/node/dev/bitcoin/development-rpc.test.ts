import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { developmentRpc } from '@assay/node/dev/bitcoin/development-rpc';

const START = 1_800_000_000;

function world() {
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  const rpc = developmentRpc({ chain, now: () => START });
  const post = (text: string) => {
    const { status, body } = rpc(Buffer.from(text));
    return [status, JSON.parse(String(body))] as [number, Record<string, unknown>];
  };
  const call = (method: string, ...params: unknown[]) =>
    post(JSON.stringify({ jsonrpc: '1.0', id: 'x', method, params }));
  return { chain, post, call };
}

test('development RPC: the chain, as Bitcoin Core tells of it', () => {
  const { chain, call } = world();
  assert.deepEqual(call('getblockcount'), [200, { result: 1, error: null, id: 'x' }]);
  const { id, header } = chain.tip;
  assert.equal(call('getbestblockhash')[1]['result'], id);
  assert.equal(call('getblockhash', 1)[1]['result'], id);
  assert.equal(call('getblockheader', id, false)[1]['result'], formatHex(header));
  const words = call('getblockheader', id)[1]['result'] as Record<string, unknown>;
  assert.equal(words['previousblockhash'], chain.block(0)?.id);
  assert.equal(words['nextblockhash'], undefined);
  assert.deepEqual([words['height'], words['time'], words['bits']], [1, START, '207fffff']);
  const first = call('getblockheader', chain.block(0)?.id, true)[1]['result'];
  const merkleroot = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b';
  const hash = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
  const { merkleroot: root, hash: found, nextblockhash } = first as Record<string, unknown>;
  assert.deepEqual([root, found, nextblockhash], [merkleroot, hash, id]);
  const info = call('getblockchaininfo')[1]['result'] as Record<string, unknown>;
  assert.deepEqual([info['chain'], info['blocks'], info['bestblockhash']], ['regtest', 1, id]);
});

test('development RPC: several calls at once, in their order', () => {
  const { post } = world();
  const calls = [
    { id: 2, method: 'getblockcount' },
    { id: 1, method: 'getblockhash', params: [9] },
  ];
  const [status, answers] = post(JSON.stringify(calls));
  assert.equal(status, 200);
  assert.deepEqual(answers, [
    { result: 1, error: null, id: 2 },
    { result: null, error: { code: -8, message: 'Block height out of range' }, id: 1 },
  ]);
});

test('development RPC: what it refuses, by the numbers of Bitcoin Core', () => {
  const { post, call } = world();
  const code = ([status, { error }]: [number, Record<string, unknown>]) => [
    status,
    (error as { code: number }).code,
  ];
  assert.deepEqual(code(call('getblockhash', 2)), [500, -8]);
  assert.deepEqual(code(call('getblockhash', -1)), [500, -8]);
  assert.deepEqual(code(call('getblockhash')), [500, -8]);
  assert.deepEqual(code(call('getblockheader', 'ab'.repeat(32))), [500, -5]);
  assert.deepEqual(code(call('stop')), [500, -32_601]);
  assert.deepEqual(code(post('{"method":"getblockcount","params":{}}')), [500, -32_600]);
  for (const text of ['7', 'null', '"x"']) assert.deepEqual(code(post(text)), [500, -32_601], text);
  for (const text of ['', '{', '<html>']) assert.deepEqual(code(post(text)), [500, -32_700], text);
});
