import { parseEntry } from '@assay/core/log/entry';
import { equalBytes } from '@assay/core/bytes/bytes';
import { messageOf } from '@assay/core/fault';
import { type Hash, hashHex, leafHash } from '@assay/core/hash/hash';
import { type Genesis, parseGenesis } from '@assay/core/kind/genesis';
import { type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { parseHex } from '@assay/core/bytes/hex';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import { feedAddresses } from '@assay/core/feed/program-address';
import type { KnownPin, Pin, Policy } from '../verdict/policy.ts';
import type { Trust } from '../verdict/verdict.ts';

/** The key that a log's checkpoints are checked with, and why it is believed. */
export interface TrustedKey {
  readonly key: NoteKey;
  readonly vkey: string;
  /** The number of the key among the log's checkpoint keys; genesis names number 0. */
  readonly number: number;
  /** The entry that brought the key, 0 for genesis. */
  readonly since: number;
  readonly trust: Trust;
  /** Whether somebody named the key, now or at the visit that left the pin. */
  readonly vouched: boolean;
  readonly genesis: Genesis;
}

/**
 * What a log whose first entry is `genesisBytes` is believed for: the key or the id that the policy names, those that
 * the pin names, or on a first visit its own. Where both policy and pin name an id, a log that contradicts either has a
 * finding. It comes with the first checkpoint key; whether that one, or one that took its place, signs a head is for
 * `judgeHead`. Undefined with a finding when no key can be used.
 */
export function trustLog(
  genesisBytes: Uint8Array,
  policy: Policy,
  pin: KnownPin | undefined,
  environment: Environment,
  findings: Findings,
): TrustedKey | undefined {
  const { sha256 } = environment;
  let genesis: Genesis;
  let key: NoteKey;
  try {
    const entry = parseEntry(genesisBytes);
    genesis = parseGenesis(entry.body, 'body');
    key = parseNoteKey(sha256, genesis.checkpoint_vkey);
    if (entry.kind !== 'genesis/1') throw new Error(`kind ${entry.kind}`);
  } catch (error) {
    findings.add('genesis_misplaced', 'entry 0', 'a genesis entry', messageOf(error));
    return undefined;
  }
  if (key.name !== genesis.origin) {
    findings.add('genesis_differs', 'entry 0', `a checkpoint key of ${genesis.origin}`, key.name);
  }
  if (equalBytes(key.publicKey, parseHex(genesis.report_key, 32))) {
    findings.add('genesis_differs', 'entry 0', 'separate keys for reports and checkpoints', 'one');
  }
  if ((genesis.chain === null) !== (genesis.program === null)) {
    const found = genesis.chain ?? genesis.program ?? 'none';
    findings.add('genesis_differs', 'entry 0', 'a chain and a program, or neither', found);
  } else if (genesis.chain !== null && feedAddresses(sha256, genesis) === undefined) {
    findings.add('genesis_differs', 'entry 0', 'the address of a program', `${genesis.program}`);
  }
  const vkey = genesis.checkpoint_vkey;
  const logId = hashHex(leafHash(sha256, genesisBytes));
  // The id is the hash of the entry that names the key, so whoever vouches for one vouches for both.
  const named = policy.checkpoint_keys.length > 0 || policy.log_id !== null;
  const trust: Trust = named ? 'policy' : pin === undefined ? 'first_use' : 'pinned';
  if (policy.log_id !== null && policy.log_id !== logId) {
    findings.add('log_id_differs', 'entry 0', policy.log_id, logId);
  }
  if (pin !== undefined && pin.log_id !== logId) {
    findings.add('log_id_differs', 'entry 0', `${pin.log_id}, pinned`, logId);
  }
  return {
    key,
    vkey,
    number: 0,
    since: 0,
    trust,
    vouched: named || pin?.vouched === true,
    genesis,
  };
}

/**
 * Requires that the policy and the pin, where they name keys, name some of `vkeys`, the checkpoint keys of the log so
 * far, of which the first one alone is in genesis. A key that the policy names for this very origin must be one of them
 * too: a log without it is not the one that whoever wrote the policy knows, but may be a branch that a thief of an
 * earlier key goes on with.
 */
export function requireNamedKeys(
  vkeys: readonly string[],
  { checkpoint_keys: named }: Pick<Policy, 'checkpoint_keys'>,
  pin: Pick<Pin, 'checkpoint_vkey'> | undefined,
  findings: Findings,
): void {
  const found = vkeys.join(', ');
  const others = named.filter((each) => !vkeys.includes(each));
  const isNamed = others.length < named.length;
  const origin = originOf(vkeys[0] ?? '');
  const absent = others.filter((each) => originOf(each) === origin);
  if (isNamed && absent.length > 0) {
    findings.add('key_not_trusted', 'entry 0', absent.join(' and '), found);
  } else if (!isNamed && named.length > 0) {
    findings.add('key_not_trusted', 'entry 0', named.join(' or '), found);
  }
  if (pin !== undefined && !vkeys.includes(pin.checkpoint_vkey)) {
    findings.add('key_not_trusted', 'entry 0', `${pin.checkpoint_vkey}, pinned`, found);
  }
}

/** The name in a verifier key, which has no plus sign in it. */
function originOf(vkey: string): string {
  return vkey.slice(0, vkey.indexOf('+'));
}

/** The pin that a visit leaves for the next visit. */
export function makePin(trusted: TrustedKey, logId: Hash, size: number, root: Hash): Pin {
  return {
    type: 'assay-pin/1',
    origin: trusted.genesis.origin,
    checkpoint_vkey: trusted.vkey,
    log_id: hashHex(logId),
    size,
    root: hashHex(root),
  };
}
