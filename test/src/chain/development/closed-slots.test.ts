import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  generateKeyPairSigner,
  getAddressEncoder,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import {
  type DevelopmentChain,
  openDevelopmentChain,
} from '@assay/chain/development/development-chain';
import fc from 'fast-check';
import { SKIP, TestClock, textOf, transactionOf, transferOf } from './world.ts';

const TABLES = 'AddressLookupTab1e1111111111111111111111111' as Address;
const ANYONE = 'So11111111111111111111111111111111111111112' as Address;
const SOL = 1_000_000_000n;

/** An empty lookup table of `authority`'s. Each addition leaves the slot of its transaction in it. */
function tableData(authority: Address): Uint8Array {
  const data = new Uint8Array(56);
  const view = new DataView(data.buffer);
  view.setUint32(0, 1, true);
  view.setBigUint64(4, 2n ** 64n - 1n, true);
  data[21] = 1;
  data.set(getAddressEncoder().encode(authority), 22);
  return data;
}

/** Puts one address more into a table; `count` of one that says more than it has makes it fail. */
function additionTo(table: Address, authority: KeyPairSigner, count = 1): Instruction {
  const data = new Uint8Array(44);
  const view = new DataView(data.buffer);
  view.setUint32(0, 2, true);
  view.setBigUint64(4, BigInt(count), true);
  return {
    programAddress: TABLES,
    accounts: [
      { address: table, role: AccountRole.WRITABLE },
      {
        address: authority.address,
        role: AccountRole.READONLY_SIGNER,
        signer: authority,
      } as AccountSignerMeta,
    ],
    data,
  };
}

/** What one look saw, and the slot that it says it was in. */
interface Look {
  readonly slot: number;
  readonly transactions: number;
  readonly additions: number;
  /** The slot that the table has of its last addition. */
  readonly lastAddition: number;
}

const STEP = fc.oneof(
  { weight: 5, arbitrary: fc.constant('look' as const) },
  { weight: 4, arbitrary: fc.constant('add' as const) },
  fc.constantFrom('fail', 'drop', 'simulate', 'airdrop', 'reopen' as const),
  fc.constantFrom(0.1, 0.4, 7, 70, -5),
);

test(
  'closed slots: who has looked in a slot has seen all that there will ever be in it',
  { skip: SKIP },
  async () => {
    const rich = await generateKeyPairSigner();
    const poor = await generateKeyPairSigner();
    const table = (await generateKeyPairSigner()).address;
    const data = tableData(rich.address);
    const accounts = [{ address: table, owner: TABLES, lamports: SOL, data }];
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 10, maxLength: 40 }), async (steps) => {
        const folder = mkdtempSync(join(tmpdir(), 'assay-chain-'));
        const clock = new TestClock();
        const options = { now: clock.now, file: join(folder, 'chain.jsonl'), tickMs: 0, accounts };
        let chain: DevelopmentChain = await openDevelopmentChain(options);
        const call = (method: string, ...params: unknown[]): unknown =>
          chain.methods.get(method)?.(params);
        const inContext = (method: string, ...params: unknown[]): [number, unknown] => {
          const { context, value } = call(method, ...params) as {
            context: { slot: number };
            value: unknown;
          };
          return [context.slot, value];
        };
        const send = async (from: KeyPairSigner, instruction: Instruction): Promise<string> => {
          const wire = await transactionOf({ ledger: chain.ledger, rich: from }, [instruction]);
          call('sendTransaction', textOf(wire), { encoding: 'base64', skipPreflight: true });
          return wire.signature;
        };
        const slotOf = (signature: string): number | undefined => {
          const [, [status]] = inContext('getSignatureStatuses', [signature]) as [
            number,
            [{ slot: number } | null],
          ];
          return status?.slot;
        };
        /** Slots of those that left a trace, in the order in which they ran; whether they were additions. */
        const ran: { signature: string; slot: number; addition: boolean }[] = [];
        const looks: Look[] = [];
        const kept = (signature: string, addition = false): void => {
          const slot = slotOf(signature);
          assert.ok(slot !== undefined);
          assert.ok(slot > Math.max(0, ...ran.map((each) => each.slot)), 'a slot of its own');
          assert.ok(slot > Math.max(0, ...looks.map((each) => each.slot)), 'after every look');
          ran.push({ signature, slot, addition });
        };
        const look = (): void => {
          const [slot, found] = inContext('getAccountInfo', table, { encoding: 'base64' });
          const bytes = Buffer.from((found as { data: [string] }).data[0], 'base64');
          const known = ran.map(({ signature }) => signature);
          const [again, statuses] = inContext('getSignatureStatuses', known) as [number, unknown[]];
          assert.equal(again, slot);
          assert.deepEqual(
            statuses.map((each) => (each as { slot: number } | null)?.slot),
            ran.map((each) => each.slot),
          );
          looks.push({
            slot,
            transactions: call('getTransactionCount') as number,
            additions: (bytes.length - 56) / 32,
            lastAddition: Number(bytes.readBigUInt64LE(12)),
          });
        };
        kept(chain.ledger.airdrop(rich.address, 10n * SOL) as string);
        for (const step of steps) {
          const { slot } = chain.ledger;
          switch (step) {
            case 'look':
              look();
              break;
            case 'add':
              kept(await send(rich, additionTo(table, rich)), true);
              break;
            case 'fail':
              kept(await send(rich, additionTo(table, rich, 2)));
              break;
            case 'drop':
              assert.equal(slotOf(await send(poor, transferOf(poor, ANYONE, 1n))), undefined);
              assert.equal(chain.ledger.slot, slot);
              break;
            case 'simulate': {
              const { ledger } = chain;
              const wire = await transactionOf({ ledger, rich }, [additionTo(table, rich)]);
              assert.equal(ledger.simulate(wire, { verify: true }).error, null);
              assert.equal(ledger.slot, slot);
              break;
            }
            case 'airdrop':
              kept(chain.ledger.airdrop(ANYONE, SOL) as string);
              break;
            case 'reopen':
              chain.close();
              clock.time = Math.max(clock.time, chain.ledger.clock);
              chain = await openDevelopmentChain(options);
              assert.equal(chain.ledger.slot, slot);
              look();
              break;
            default:
              clock.time += step;
              chain.ledger.advance();
          }
        }
        look();
        for (const each of looks) {
          const within = ran.filter(({ slot }) => slot <= each.slot);
          const additions = within.filter(({ addition }) => addition);
          assert.equal(each.transactions, within.length);
          assert.equal(each.additions, additions.length);
          assert.equal(each.lastAddition, additions.at(-1)?.slot ?? 0);
        }
        chain.close();
        rmSync(folder, { recursive: true });
      }),
      { numRuns: 30 },
    );
  },
);
