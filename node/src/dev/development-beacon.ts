import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import {
  BEACON_SCHEME,
  type BeaconChain,
  beaconChainParser,
  chainHash,
  roundTime,
} from '@assay/core/timelock/beacon-chain';
import { hex, object, type Parse } from '@assay/core/wire/schema';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import type { Clock } from '../platform/clock.ts';
import { errorCode, writeDurable } from '../platform/durable-file.ts';
import type { BeaconSource } from '../timelock/beacon-source.ts';

/** Simulated seconds between two rounds. A round costs nothing until it is asked for. */
export const DEVELOPMENT_PERIOD_S = 30;

/** The name of the chain. Its hash cannot be that of a chain of the League of Entropy, whose key is another. */
export const DEVELOPMENT_BEACON_ID = 'assay-development';

export interface DevelopmentBeaconOptions {
  /** The file of the chain and its secret, in the folder of the demo's data. It is made if there is none. */
  readonly path: string;
  /** The time of round 1 of a chain that is made, in unix seconds. */
  readonly genesis: number;
  readonly now: Clock;
  readonly sha256: Sha256;
}

/** What the file holds. */
interface KeptBeacon {
  readonly chain: BeaconChain;
  /** The 32 bytes of the secret, hex. */
  readonly secret: string;
}

/**
 * The drand chain of the development network, whose secret is in a file. It signs a round once its clock has come to the
 * round's time. Whoever has the file can open everything early, so nothing that is sealed to it is kept from its operator.
 * Throws `malformed` for a file that holds something else, and in `signature` for a secret that is not the chain's.
 */
export async function developmentBeacon(options: DevelopmentBeaconOptions): Promise<BeaconSource> {
  const { chain, secret } = await openBeacon(options);
  return {
    chain,
    async signature(round) {
      if (options.now() < roundTime(chain, round)) return undefined;
      // The curve takes some 25 ms to load, which a start should not pay for.
      const { signRound } = await import('@assay/core/timelock/beacon-key');
      const { verifyBeacon } = await import('@assay/core/timelock/beacon-signature');
      const signature = signRound(parseHex(secret), round);
      if (verifyBeacon(chain, round, signature)) return signature;
      throw new Fault('malformed', 'development beacon', { expected: "the chain's own secret" });
    },
  };
}

async function openBeacon(options: DevelopmentBeaconOptions): Promise<KeptBeacon> {
  const { path, sha256 } = options;
  const parse: Parse<KeptBeacon> = object<KeptBeacon>({
    chain: beaconChainParser(sha256),
    secret: hex(32),
  });
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const made = await newBeacon(options);
    bytes = formatWire<KeptBeacon>(made);
    await writeDurable(path, bytes, { mode: 0o600, exclusive: true });
  }
  return parse(parseWire(bytes), 'beacon');
}

async function newBeacon({ genesis, sha256 }: DevelopmentBeaconOptions): Promise<KeptBeacon> {
  const { beaconPublicKey } = await import('@assay/core/timelock/beacon-key');
  const secret = new Uint8Array(randomBytes(32));
  // Below the order of the group, which has 255 bits.
  secret[0] = (secret[0] as number) & 0x3f;
  const members = {
    scheme: BEACON_SCHEME,
    public_key: beaconPublicKey(secret),
    period_s: DEVELOPMENT_PERIOD_S,
    genesis_time: genesis,
    group_hash: hashHex(contentHash(sha256, formatUtf8('a group of one'))),
    beacon_id: DEVELOPMENT_BEACON_ID,
  } as const;
  const chain: BeaconChain = { hash: chainHash(sha256, members), ...members };
  return { chain, secret: Buffer.from(secret).toString('hex') };
}
