import { Fault } from '../fault.ts';
import { type HashHex } from '../hash/hash.ts';
import { NETWORKS, type Network, networkOf } from '../network.ts';
import {
  hashHex,
  hex,
  integer,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '../wire/schema.ts';
import type { WireValue } from '../wire/wire.ts';

/** Entry 0: the keys of this log, and what was promised before the first number. */
export interface Genesis {
  /** Host and path, which begins with `development/` on the development network. It names the log in checkpoints. */
  readonly origin: string;
  readonly network: Network;
  /** Ed25519 key of the print messages, hex. */
  readonly report_key: string;
  /** Verifier key of the checkpoints, in the form of a signed note's key. */
  readonly checkpoint_vkey: string;
  /** SHA-256 of the next report key, so that a thief of the first cannot choose the second. */
  readonly next_report_key_sha256: HashHex;
  /** SHA-256 of a key kept offline that can cancel a rotation. */
  readonly recovery_key_sha256: HashHex;
  /** CAIP-2 id of the chain that holds the feed accounts; null without a feed. */
  readonly chain: string | null;
  readonly program: string | null;
  readonly policies: Policies;
}

export interface Policies {
  /** Co-signatures that a settlement needs. */
  readonly cosigners_required: number;
  /** Witness co-signatures that a published checkpoint needs. */
  readonly witnesses_required: number;
  /** Seconds after which a witness's cosignature is stale. */
  readonly witness_max_age_s: number;
}

const parseShape: Parse<Genesis> = object<Genesis>({
  origin: string(1, 128, /^[a-z0-9][a-z0-9./-]*$/),
  network: oneOf(NETWORKS),
  report_key: hex(32),
  checkpoint_vkey: string(1, 256),
  next_report_key_sha256: hashHex,
  recovery_key_sha256: hashHex,
  chain: nullable(string(1, 64, /^[a-z0-9-]{3,8}:[A-Za-z0-9_-]{1,32}$/)),
  program: nullable(string(32, 44, /^[1-9A-HJ-NP-Za-km-z]+$/)),
  policies: object<Policies>({
    cosigners_required: integer(0, 64),
    witnesses_required: integer(0, 64),
    witness_max_age_s: integer(0, 31_622_400),
  }),
});

/** A genesis body, or `malformed`. Its origin and its network must agree. */
export const parseGenesis: Parse<Genesis> = (value: WireValue, at) => {
  const genesis = parseShape(value, at);
  if (networkOf(genesis.origin) !== genesis.network) {
    throw new Fault('malformed', 'genesis', {
      at: `${at}.network`,
      expected: networkOf(genesis.origin),
      found: genesis.network,
    });
  }
  return genesis;
};
