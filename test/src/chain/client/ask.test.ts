import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, isPassing, memberOf, wholeOf } from '@assay/chain/client/ask';
import { Fault } from '@assay/core/fault';
import {
  SOLANA_ERROR__JSON_RPC__INVALID_PARAMS,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY,
  SOLANA_ERROR__RPC__INTEGER_OVERFLOW,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  SolanaError,
} from '@solana/kit';

const SECRET = 'https://user:hunter2@host/?api-key=hunter2';

function failing(error: unknown): Promise<unknown> {
  const send = async (): Promise<never> => {
    throw error as Error;
  };
  return ask('getSlot', { send }, undefined, () => 1);
}

function pick({ code, at, found }: Fault): Pick<Fault, 'code' | 'at' | 'found'> {
  return { code, at, found };
}

test('ask: every failure is a fault that says the method, and none says an address', async () => {
  const named = (name: string): Error => Object.assign(new Error(SECRET), { name });
  for (const [error, expected] of [
    [new TypeError(`fetch failed: ${SECRET}`), { code: 'unreachable', at: 'getSlot' }],
    [SECRET, { code: 'unreachable', at: 'getSlot' }],
    [named('AbortError'), { code: 'timeout', at: 'getSlot' }],
    [named('TimeoutError'), { code: 'timeout', at: 'getSlot' }],
    [
      new SolanaError(SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR, {
        headers: new Headers({ 'x-key': SECRET }),
        message: SECRET,
        statusCode: 429,
      }),
      { code: 'unreachable', at: 'getSlot', found: 'status 429' },
    ],
    [
      new SolanaError(SOLANA_ERROR__JSON_RPC__INVALID_PARAMS, { __serverMessage: SECRET }),
      { code: 'refused', at: 'getSlot', found: 'code -32602' },
    ],
    [
      new SolanaError(SOLANA_ERROR__JSON_RPC__SERVER_ERROR_NODE_UNHEALTHY, {
        __serverMessage: SECRET,
        numSlotsBehind: 9n,
      } as never),
      { code: 'unreachable', at: 'getSlot', found: 'code -32005' },
    ],
    [new SolanaError(SOLANA_ERROR__RPC__INTEGER_OVERFLOW, {} as never), { code: 'malformed' }],
  ] as const) {
    await assert.rejects(failing(error), (fault: unknown) => {
      assert.ok(fault instanceof Fault);
      assert.deepEqual({ ...pick(fault), ...expected }, pick(fault));
      assert.doesNotMatch(`${fault.stack} ${JSON.stringify(fault)}`, /hunter2/);
      assert.equal(fault.cause, undefined);
      return true;
    });
  }
  const own = new Fault('too_large', 'Solana RPC');
  await assert.rejects(failing(own), own);
});

test('ask: an answer that cannot be read is malformed', async () => {
  const call = { send: () => Promise.resolve('x') };
  await assert.rejects(
    ask('getSlot', call, undefined, () => undefined),
    { code: 'malformed', at: 'getSlot' },
  );
  assert.equal(await ask('getSlot', call, undefined, String), 'x');
});

test('ask: the signal goes with the call', async () => {
  const { signal } = new AbortController();
  const seen: unknown[] = [];
  const call = {
    send: (options?: { abortSignal?: AbortSignal }) => Promise.resolve(seen.push(options)),
  };
  await ask('getSlot', call, signal, () => 1);
  await ask('getSlot', call, undefined, () => 1);
  assert.deepEqual(seen, [{ abortSignal: signal }, {}]);
});

test('ask: what passes by itself', () => {
  assert.equal(isPassing(new Fault('unreachable', 'x')), true);
  assert.equal(isPassing(new Fault('timeout', 'x')), true);
  assert.equal(isPassing(new Fault('malformed', 'x')), true);
  assert.equal(isPassing(new Fault('refused', 'x')), false);
  assert.equal(isPassing(new TypeError('x')), false);
});

test('ask: members and whole numbers', () => {
  assert.equal(memberOf({ a: [{ b: 1 }] }, 'a', 0, 'b'), 1);
  assert.equal(memberOf({ a: 1 }, 'a', 'b'), undefined);
  assert.equal(memberOf(null, 'a'), undefined);
  assert.equal(memberOf({}, 'toString'), undefined);
  assert.equal(wholeOf(7), 7n);
  assert.equal(wholeOf(7n), 7n);
  for (const none of [-1, -1n, 1.5, Number.NaN, 2 ** 53, '7', null, undefined]) {
    assert.equal(wholeOf(none), undefined);
  }
});
