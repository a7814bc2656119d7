import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChainCalls, chainCalls } from '@assay/chain/client/chain-calls';
import { type Address, createSolanaRpcFromTransport } from '@solana/kit';

const ADDRESS = 'So11111111111111111111111111111111111111112' as Address;
const CONTEXT = { slot: 9 };
const STATUS = { slot: 7, err: null, confirmationStatus: 'finalized', confirmations: null };
const ACCOUNT = { owner: ADDRESS, data: ['AQI=', 'base64'] };

/** The calls, to a node that gives one answer to everything. */
function answered(result: unknown): ChainCalls {
  const rpc = createSolanaRpcFromTransport(async <T>() => {
    await Promise.resolve();
    return { jsonrpc: '2.0', id: 1, result: structuredClone(result) } as T;
  });
  return chainCalls(rpc);
}

type Call = (calls: ChainCalls) => Promise<unknown>;

/** A call, an answer and what it means, and members without which it means nothing. */
const CASES: readonly (readonly [string, Call, unknown, unknown])[] = [
  [
    'latestBlockhash',
    (calls) => calls.latestBlockhash(),
    { context: CONTEXT, value: { blockhash: ADDRESS, lastValidBlockHeight: 150 } },
    { blockhash: ADDRESS, lastValidBlockHeight: 150n },
  ],
  [
    'finalizedHead',
    (calls) => calls.finalizedHead(),
    { absoluteSlot: 5, blockHeight: 4 },
    { slot: 5n, height: 4n },
  ],
  ['recentFees', (calls) => calls.recentFees([ADDRESS]), [{ slot: 1, prioritizationFee: 3 }], [3n]],
  [
    'simulate',
    (calls) => calls.simulate('' as never),
    { context: CONTEXT, value: { err: null, unitsConsumed: 12 } },
    { error: null, units: 12n },
  ],
  [
    'status',
    (calls) => calls.status('x', true),
    { context: CONTEXT, value: [STATUS] },
    { context: 9n, status: { slot: 7n, error: null, finalized: true, confirmed: true } },
  ],
  ['fee', (calls) => calls.fee('x'), { meta: { fee: 5000 } }, 5000n],
  [
    'accounts',
    (calls) => calls.accounts([ADDRESS]),
    { context: CONTEXT, value: [ACCOUNT] },
    { slot: 9n, accounts: [{ owner: ADDRESS, data: Uint8Array.of(1, 2) }] },
  ],
];

/** Every answer that lacks one member, at any depth, or has another type in its place. */
function broken(value: unknown): readonly unknown[] {
  const others = [undefined, 'x', -1, 1.5, {}, []];
  if (typeof value !== 'object' || value === null) return others;
  const inner = Object.entries(value).flatMap(([key, member]) =>
    broken(member).map((each) =>
      Array.isArray(value)
        ? value.with(Number(key), each)
        : { ...(value as Record<string, unknown>), [key]: each },
    ),
  );
  return [...others, ...inner];
}

for (const [name, call, answer, meaning] of CASES) {
  test(`chain calls: ${name}, and no other answer`, async () => {
    assert.deepEqual(await call(answered(answer)), meaning);
    for (const other of broken(answer)) {
      try {
        const got = await call(answered(other));
        // What is not looked at may be anything; what is looked at is never of another type.
        const types = (value: unknown): string =>
          JSON.stringify(value, (_, each: unknown) =>
            typeof each === 'object' ? each : typeof each,
          );
        if (name !== 'status' && name !== 'simulate' && name !== 'recentFees') {
          assert.equal(types(got), types(meaning), JSON.stringify(other));
        }
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'malformed', String(error));
      }
    }
  });
}

test('chain calls: what is not there', async () => {
  assert.deepEqual(await answered({ context: CONTEXT, value: [null] }).status('x', false), {
    context: 9n,
    status: undefined,
  });
  assert.equal(await answered(null).fee('x'), null);
  assert.deepEqual(await answered({ context: CONTEXT, value: [null] }).accounts([ADDRESS]), {
    slot: 9n,
    accounts: [null],
  });
  const failed = { InstructionError: [0, { Custom: 6000 }] };
  const simulated = await answered({ context: CONTEXT, value: { err: failed } }).simulate(
    '' as never,
  );
  assert.equal(simulated.units, 0n);
  assert.notEqual(simulated.error, null);
  const none = answered({ context: CONTEXT, value: { err: null } }).simulate('' as never);
  await assert.rejects(none, { code: 'malformed' });
  const two = answered({ context: CONTEXT, value: [null, null] });
  await assert.rejects(two.accounts([ADDRESS]), { code: 'malformed' });
  await assert.rejects(two.status('x', false), { code: 'malformed' });
  await answered(7).submit('' as never);
});
