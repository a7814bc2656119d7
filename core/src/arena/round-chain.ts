import { Fault } from '../fault.ts';
import type { Network } from '../network.ts';
import type { Round } from '../kind/round.ts';
import { type BeaconChain, QUICKNET, roundTime } from '../timelock/beacon-chain.ts';
import { formatTime } from '../time/time.ts';
import { wire } from '../wire/wire.ts';

/** What decides whether a forecast can be sealed: the round, the chain of the rule that it names, and the log's network. */
export interface SealedRound {
  readonly round: Pick<Round, 'drand_round'>;
  readonly rule: { readonly drand: BeaconChain };
  readonly genesis: { readonly network: Network };
}

/**
 * The drand chain that a forecast is sealed to. A log that is not of the development network must use quicknet, with a round
 * that is not out at `now` (Unix seconds): otherwise somebody could open the forecast at once. Throws `unsupported`, and
 * `out_of_range` where the round is out.
 */
export function requireChain({ rule, round, genesis }: SealedRound, now: number): BeaconChain {
  const { drand } = rule;
  if (genesis.network === 'development') return drand;
  if (JSON.stringify(wire(drand)) !== JSON.stringify(wire(QUICKNET))) {
    throw new Fault('unsupported', 'drand chain', {
      expected: `quicknet, ${QUICKNET.hash}`,
      found: drand.hash,
    });
  }
  const out = roundTime(drand, round.drand_round);
  if (out > now) return drand;
  const expected = 'one that is not out yet';
  throw new Fault('out_of_range', 'drand round', {
    expected,
    found: `out since ${formatTime(out)}`,
  });
}
