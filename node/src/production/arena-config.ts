import type { ArenaRule } from '@assay/core/arena/rule/arena-rule';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Network } from '@assay/core/network';
import { type BeaconChain, QUICKNET } from '@assay/core/timelock/beacon-chain';
import { type NodeArena, openArena } from '../arena/node-arena.ts';
import type { Clock } from '../platform/clock.ts';
import type { DataFolder } from '../platform/data-folder.ts';
import { beaconClient, PUBLIC_RELAYS } from '../timelock/beacon-client.ts';
import type { BeaconSource } from '../timelock/beacon-source.ts';

/** Milliseconds between two polls for what is due in a round. */
const POLL_MS = 1000;
/** Milliseconds of one drand relay. */
const RELAY_MS = 10_000;

export interface ArenaWorld {
  readonly folder: DataFolder;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly network: Network;
  /** Addresses of drand relays; null for the public ones. */
  readonly relays: readonly string[] | null;
  /** Milliseconds between two polls; the default is a second. */
  readonly everyMs?: number | undefined;
}

/** How a node takes forecasts and runs rounds, with the relays of its configuration. Throws `ledger_corrupt`. */
export async function arenaWorld({
  folder,
  sha256,
  now,
  network,
  relays,
  everyMs = POLL_MS,
}: ArenaWorld): Promise<NodeArena> {
  const beacons = new Map<string, BeaconSource>();
  return {
    ...(await openArena(folder, sha256)),
    everyMs,
    beaconOf(chain) {
      if (!isAllowed(network, chain)) return undefined;
      let beacon = beacons.get(chain.hash);
      if (beacon === undefined) {
        beacon = beaconClient({
          chain,
          relays: relays ?? PUBLIC_RELAYS,
          timeoutMs: RELAY_MS,
          now,
        });
        beacons.set(chain.hash, beacon);
      }
      return beacon;
    },
  };
}

/**
 * Throws `bad_config` for an arena rule of a production log that seals to another chain than quicknet of the League of Entropy:
 * whoever has the secret of a chain can open everything early.
 */
export function requirePublicBeacon(network: Network, rule: ArenaRule | undefined): void {
  const chain = rule?.arena?.drand;
  if (chain === undefined || isAllowed(network, chain)) return;
  throw new Fault('bad_config', 'arena rule', {
    at: 'arena.drand.hash',
    expected: `${QUICKNET.hash}, which is quicknet of the League of Entropy`,
    found: chain.hash,
  });
}

function isAllowed(network: Network, chain: BeaconChain): boolean {
  return network === 'development' || chain.hash === QUICKNET.hash;
}
