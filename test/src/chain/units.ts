import { addRule, addSet, cancel, rotate } from '@assay/chain/instructions';
import type { Address, Instruction } from '@solana/kit';
import { hashOf, type Party, partyOf } from './party.ts';
import { DAY, NOW, type Outcome, PROGRAM, type World, worldOf } from './world.ts';

/** What one instruction costs. */
export interface Cost {
  readonly name: string;
  /** Compute units, the Ed25519 precompile's aside, which are none. */
  readonly units: number;
  /** Of the whole transaction. */
  readonly bytes: number;
  /** Lamports of its signatures, the Ed25519 precompile's too, without a priority fee. */
  readonly fee: bigint;
  /** Lamports that the accounts it makes keep. */
  readonly rent: bigint;
}

/** Runs each instruction once and says what it cost: 5 co-signers, 3 of whom are enough. */
export async function measure(): Promise<readonly Cost[]> {
  const world = await worldOf({ cosigners: 5, begun: false });
  const { publisher, cosigners, next, recovery, feed } = world;
  const three = cosigners.slice(0, 3);
  const [, , , fourth] = cosigners as [Party, Party, Party, Party];
  const day = Number(NOW / DAY) - 1;
  const others = await Promise.all(Array.from('abcdefgh', partyOf));
  const rows: Cost[] = [];
  let before = balances(world);
  const note = (name: string, { error, units, bytes }: Outcome): void => {
    if (error !== null) throw new Error(`${name}: ${error}`);
    const after = balances(world);
    const rent = after.kept - before.kept;
    rows.push({ name, units, bytes, fee: before.payer - after.payer - rent, rent });
    before = after;
  };
  note('init_feed, 5 co-signers', await world.init());
  note('open_page', await world.openPage(92));
  note('provisional', await world.publish(world.print({ status: 'provisional' }), [publisher]));
  note('final, 3 of 5', await world.publish(world.print(), [publisher, ...three]));
  note('final again, 1 more', await world.publish(world.print(), [publisher, fourth]));
  note('correction, 5 of 5', await world.publish(world.print({ status: 'corrected' })));
  note('dissent', await world.dissent(world.print(), [cosigners[4] as Party]));
  note('close, new', await world.close(day, hashOf('a')));
  note('close, superseding', await world.close(day, hashOf('b')));
  const rule = addRule(PROGRAM, publisher.signer, feed, hashOf('rule 2'), 20_680);
  note('add_rule', await world.send(rule));
  const keys = others.map(({ key }) => key);
  note('add_set, 8 co-signers', await world.send(addSet(PROGRAM, publisher.signer, feed, 5, keys)));
  const rotation = rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x'));
  note('rotate', await world.send(rotation));
  const all = ['rotation', 'rule', 'set'] as const;
  note('cancel, all three', await world.send(cancel(PROGRAM, recovery.signer, feed, all)));
  return rows;
}

/** Lamports of who pays, and of the program's accounts. */
function balances({ svm, payer }: World): { readonly payer: bigint; readonly kept: bigint } {
  const kept = svm.getProgramAccounts(PROGRAM).reduce((sum, each) => sum + each.lamports, 0n);
  return { payer: svm.getBalance(payer.signer.address) ?? 0n, kept };
}

/** ComputeBudget: a limit of units, and a price in microlamports a unit. */
export function budget(units: number, price: bigint): readonly Instruction[] {
  const programAddress = 'ComputeBudget111111111111111111111111111111' as Address;
  const limit = new Uint8Array(5);
  limit[0] = 2;
  new DataView(limit.buffer).setUint32(1, units, true);
  const fee = new Uint8Array(9);
  fee[0] = 3;
  new DataView(fee.buffer).setBigUint64(1, price, true);
  return [
    { programAddress, data: limit },
    { programAddress, data: fee },
  ];
}
