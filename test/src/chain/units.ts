import { addRule, addSet, cancelRotation, rotate } from '@assay/chain/instructions';
import { hashOf, type Party, partyOf } from './party.ts';
import { DAY, NOW, type Outcome, PROGRAM, worldOf } from './world.ts';

/** What one instruction costs. */
export interface Cost {
  readonly name: string;
  /** Compute units, the Ed25519 precompile's aside, which are none. */
  readonly units: number;
  /** Of the whole transaction. */
  readonly bytes: number;
}

/** Runs each instruction once and says what it cost: 5 co-signers, 3 of whom are enough. */
export async function measure(): Promise<readonly Cost[]> {
  const world = await worldOf({ cosigners: 5, begun: false });
  const { publisher, cosigners, next, recovery, feed } = world;
  const three = cosigners.slice(0, 3);
  const day = Number(NOW / DAY) - 1;
  const others = await Promise.all(Array.from('abcdefgh', partyOf));
  const rows: Cost[] = [];
  const note = (name: string, { error, units, bytes }: Outcome): void => {
    if (error !== null) throw new Error(`${name}: ${error}`);
    rows.push({ name, units, bytes });
  };
  note('init_feed, 5 co-signers', await world.init());
  note('open_page', await world.openPage(92));
  note('provisional', await world.publish(world.print({ status: 'provisional' }), [publisher]));
  note('final, 3 of 5', await world.publish(world.print(), [publisher, ...three]));
  note('correction, 5 of 5', await world.publish(world.print({ status: 'corrected' })));
  note('dissent', await world.dissent(world.print(), [cosigners[4] as Party]));
  note('close, new', await world.close(day, hashOf('a')));
  note('close, superseding', await world.close(day, hashOf('b')));
  const rule = addRule(PROGRAM, publisher.signer, feed, hashOf('rule 2'), 20_673);
  note('add_rule', await world.send(rule));
  const keys = others.map(({ key }) => key);
  note('add_set, 8 co-signers', await world.send(addSet(PROGRAM, publisher.signer, feed, 5, keys)));
  const rotation = rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x'));
  note('rotate', await world.send(rotation));
  note('cancel_rotation', await world.send(cancelRotation(PROGRAM, recovery.signer, feed)));
  return rows;
}
