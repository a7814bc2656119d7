import assert from 'node:assert/strict';
import { closeAddress, feedAddress, pageAddress } from '@assay/chain/addresses';
import { ED25519_PROGRAM } from '@assay/chain/ed25519-instruction';
import {
  addRule,
  addSet,
  cancel,
  close,
  dissent,
  initFeed,
  openPage,
  publish,
  rotate,
  SYSTEM_PROGRAM,
} from '@assay/chain/instructions';
import type { HashHex } from '@assay/core/hash/hash';
import type { Ticker } from '@assay/core/rule/ticker';
import { AccountRole, type AccountMeta, type Instruction } from '@solana/kit';
import fc from 'fast-check';
import { hashOf, partyOf } from '../fixture/party.ts';
import { closeBytes, PERIOD, PROGRAM, type World } from '../fixture/world.ts';
import {
  type State,
  PAGE,
  CLOSE_DAY,
  OTHER_SYSVAR,
  stateOf,
  requireState,
  restore,
  fuzzWorld,
} from './fuzz-world.ts';
import { castOf, formatLayout, PLAIN } from './proof-layout.ts';

type Change =
  | { readonly kind: 'replace'; readonly at: number; readonly by: number }
  | { readonly kind: 'swap'; readonly at: number; readonly by: number }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'add'; readonly at: number; readonly by: number }
  | { readonly kind: 'role'; readonly at: number; readonly by: number };

const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('replace', 'swap', 'drop', 'add', 'role'),
    at: fc.nat(4),
    by: fc.nat(20),
  }) as fc.Arbitrary<Change>,
  { minLength: 1, maxLength: 2 },
);

/**
 * Valid transactions of each instruction with other accounts, or the same in other roles: what succeeds
 * writes what the valid one writes, and what does not writes nothing.
 */
export async function fuzzAccounts(runs: number): Promise<ReadonlyMap<string, number>> {
  const world = await fuzzWorld();
  const strangers = await strangeAccounts(world);
  const before = stateOf(world);
  const seen = new Map<string, number>();
  const valid = await validOnes(world);
  const after = new Map<string, State>();
  for (const [name, instructions] of Object.entries(valid)) {
    assert.equal((await world.send(...instructions)).error, null, name);
    after.set(name, stateOf(world));
    restore(world, before);
  }
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(valid)), changes, async (name, some) => {
      const instructions = valid[name] as readonly Instruction[];
      const last = instructions.at(-1) as Instruction;
      const accounts = changeAccounts(last.accounts as readonly AccountMeta[], some, strangers);
      const { error } = await world.send(...instructions.slice(0, -1), {
        ...last,
        accounts,
      } as Instruction);
      const key = `${name}: ${error ?? 'done'}`;
      seen.set(key, (seen.get(key) ?? 0) + 1);
      requireState(world, error === null ? (after.get(name) as State) : before, key);
      if (error === null) restore(world, before);
    }),
    { numRuns: runs },
  );
  return seen;
}

/** Accounts of others: another publisher's feed with its page and Close among them. */
async function strangeAccounts(world: World): Promise<readonly AccountMeta[]> {
  const other = await partyOf('publisher 4');
  const { payer, parameters } = world;
  const [feed] = await feedAddress(PROGRAM, other.key, parameters.ticker);
  const [page] = await pageAddress(PROGRAM, feed, PAGE);
  const made = await world.send(
    initFeed(PROGRAM, payer.signer, other.signer, feed, parameters),
    openPage(PROGRAM, payer.signer, feed, page, PAGE),
  );
  assert.equal(made.error, null);
  const parties = [payer, world.publisher, world.next, world.recovery, other];
  return [
    ...[feed, page, world.feed, await world.pageOf(PERIOD), OTHER_SYSVAR, SYSTEM_PROGRAM].map(
      (address) => ({ address, role: AccountRole.WRITABLE }),
    ),
    ...parties.map(({ signer }) => ({
      address: signer.address,
      role: AccountRole.WRITABLE_SIGNER,
      signer,
    })),
  ];
}

function changeAccounts(
  accounts: readonly AccountMeta[],
  some: readonly Change[],
  strangers: readonly AccountMeta[],
): readonly AccountMeta[] {
  let changed = [...accounts];
  for (const change of some) {
    const at = change.at % changed.length;
    const by = 'by' in change ? change.by : 0;
    const stranger = strangers[by % strangers.length] as AccountMeta;
    switch (change.kind) {
      case 'replace':
        changed = changed.with(at, stranger);
        break;
      case 'swap': {
        const to = by % changed.length;
        changed = changed.with(at, changed[to] as AccountMeta).with(to, changed[at] as AccountMeta);
        break;
      }
      case 'drop':
        if (changed.length > 1) changed = changed.toSpliced(at, 1);
        break;
      case 'add':
        changed = changed.toSpliced(at, 0, stranger);
        break;
      case 'role': {
        // A signer's role needs the signer: the others only lose or gain the right to be written.
        const { address } = changed[at] as AccountMeta;
        const role = by % 2 === 0 ? AccountRole.READONLY : AccountRole.WRITABLE;
        changed = changed.with(at, { address, role });
        break;
      }
    }
  }
  return changed;
}

/** One transaction of each instruction that succeeds. */
async function validOnes(world: World): Promise<Readonly<Record<string, readonly Instruction[]>>> {
  const { payer, publisher, next, cosigners, feed, parameters } = world;
  const page = await world.pageOf(PERIOD);
  const [closeAt] = await closeAddress(PROGRAM, feed, CLOSE_DAY);
  const [newClose] = await closeAddress(PROGRAM, feed, CLOSE_DAY - 1);
  const [newPage] = await pageAddress(PROGRAM, feed, PAGE + 1);
  const jobs = { ...parameters, ticker: 'JOBS' as Ticker };
  const [newFeed] = await feedAddress(PROGRAM, publisher.key, jobs.ticker);
  const cast = await castOf(world);
  const proven = (message: number, ...signers: readonly number[]): Instruction => ({
    programAddress: ED25519_PROGRAM,
    data: formatLayout(cast, { ...PLAIN, message, signers }),
  });
  const older = closeBytes(parameters.log as HashHex, CLOSE_DAY - 1, hashOf('older'));
  const olderCast = { ...cast, messages: [older] };
  const keys = cosigners.map(({ key }) => key);
  return {
    init: [initFeed(PROGRAM, payer.signer, publisher.signer, newFeed, jobs)],
    open: [openPage(PROGRAM, payer.signer, feed, newPage, PAGE + 1)],
    publish: [proven(0, 0, 1, 2), publish(PROGRAM, feed, page, 0)],
    dissent: [proven(1, 2), dissent(PROGRAM, feed, page, 0)],
    rule: [addRule(PROGRAM, publisher.signer, feed, hashOf('rule 2'), PERIOD + 21)],
    set: [addSet(PROGRAM, publisher.signer, feed, 2, keys)],
    rotate: [rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x'))],
    close: [proven(2, 0), close(PROGRAM, payer.signer, feed, closeAt, 0)],
    'new close': [
      {
        programAddress: ED25519_PROGRAM,
        data: formatLayout(olderCast, { ...PLAIN, message: 0, signers: [0] }),
      },
      close(PROGRAM, payer.signer, feed, newClose, 0),
    ],
    'rotate and cancel': [
      rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')),
      cancel(PROGRAM, world.recovery.signer, feed, ['rotation']),
    ],
  };
}
