import { equalBytes } from '@assay/core/bytes/bytes';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { NOTE_COSIGNATURE, type NoteKey, parseNoteKey } from '@assay/core/log/note';
import {
  array,
  boolean,
  hashHex,
  hex,
  integer,
  isObject,
  literal,
  malformed,
  nullable,
  object,
  type Parse,
  string,
} from '@assay/core/wire/schema';
import { formatWire, parseWire, type WireValue, wire } from '@assay/core/wire/wire';

/** A witness whose line on a checkpoint counts, and who runs it. */
export interface PolicyWitness {
  /** Two witnesses of one operator count once. */
  readonly operator: string;
  /** Verifier key of type 0x04. */
  readonly vkey: string;
}

/** A recount co-signer whose agreement counts, and who runs it. */
export interface PolicyCosigner {
  readonly operator: string;
  /** The Ed25519 key of its statements, hex. */
  readonly key: string;
}

/**
 * Whom to believe. Nothing that a log says about itself is a reason to trust it. Its keys come from the policy, from
 * the pin of an earlier visit, or, once, from the log itself, with `trust: first_use` in the verdict.
 */
export interface Policy {
  /** Verifier keys that may sign this log's checkpoints; empty: pin on first use. */
  readonly checkpoint_keys: readonly string[];
  /** The log's id, where it is known. */
  readonly log_id: HashHex | null;
  /** Strict: every signature line of a checkpoint, a witness's included, must be by a listed key. */
  readonly strict: boolean;
  readonly witnesses: readonly PolicyWitness[];
  /** Operators of `witnesses` that must have cosigned a checkpoint. */
  readonly witnesses_required: number;
  /** Seconds after which a witness's line is too old to count; null: at any age. */
  readonly witness_max_age_s: number | null;
  readonly cosigners: readonly PolicyCosigner[];
  /** Operators of `cosigners` that must have agreed with a number, whatever its log asks for. */
  readonly cosigners_required: number;
  /** Every period that is due must be printed or void, and no Close or index entry may be missing. */
  readonly complete: boolean;
}

export const OPEN_POLICY: Policy = {
  checkpoint_keys: [],
  log_id: null,
  strict: false,
  witnesses: [],
  witnesses_required: 0,
  witness_max_age_s: null,
  cosigners: [],
  cosigners_required: 0,
  complete: false,
};

/** What a first visit leaves for the next: the key, the log, and the newest head seen. */
export interface Pin {
  readonly type: 'assay-pin/1';
  readonly origin: string;
  readonly checkpoint_vkey: string;
  readonly log_id: HashHex;
  readonly size: number;
  readonly root: HashHex;
}

/** A pin, and whether somebody had named the key of its log when it was left. */
export type KnownPin = Pin & { readonly vouched?: boolean };

type FirstPolicy = Pick<Policy, 'checkpoint_keys' | 'log_id' | 'strict'>;

const MAX_LISTED = 64;
const MAX_AGE_S = 31_622_400;
const whom = {
  checkpoint_keys: array(string(1, 512), 0, 16),
  log_id: nullable(hashHex),
  strict: boolean,
};
const operator = string(1, 64, /^[^\p{C}\p{Z}=](?:[^\p{C}=]*[^\p{C}\p{Z}=])?$/u);

const firstShape: Parse<FirstPolicy & { readonly type: 'assay-policy/1' }> = object<
  FirstPolicy & { readonly type: 'assay-policy/1' }
>({ type: literal('assay-policy/1'), ...whom });

const quorums = {
  witnesses: array(object<PolicyWitness>({ operator, vkey: string(1, 512) }), 0, MAX_LISTED),
  witnesses_required: integer(0, MAX_LISTED),
  witness_max_age_s: nullable(integer(1, MAX_AGE_S)),
  cosigners: array(object<PolicyCosigner>({ operator, key: hex(32) }), 0, MAX_LISTED),
  cosigners_required: integer(0, MAX_LISTED),
};

type SecondPolicy = Omit<Policy, 'complete'>;

const secondShape: Parse<SecondPolicy & { readonly type: 'assay-policy/2' }> = object<
  SecondPolicy & { readonly type: 'assay-policy/2' }
>({ type: literal('assay-policy/2'), ...whom, ...quorums });

const policyShape: Parse<Policy & { readonly type: 'assay-policy/3' }> = object<
  Policy & { readonly type: 'assay-policy/3' }
>({ type: literal('assay-policy/3'), ...whom, ...quorums, complete: boolean });

/**
 * The value of a policy file: `assay-policy/3`, `assay-policy/2` from before completeness could be required, or
 * `assay-policy/1` from before there were witnesses. Throws `malformed`, `bad_note` or `bad_base64` for an invalid key,
 * and `malformed` for what `requirePolicy` refuses.
 */
export function parsePolicy(sha256: Sha256, value: WireValue): Policy {
  const { type: _, ...policy } = ofAnyVersion(value);
  return requirePolicy(sha256, policy);
}

function ofAnyVersion(value: WireValue): Policy & { readonly type: string } {
  switch (isObject(value) ? value['type'] : undefined) {
    case 'assay-policy/1':
      return { ...OPEN_POLICY, ...firstShape(value, 'policy') };
    case 'assay-policy/2':
      return { ...OPEN_POLICY, ...secondShape(value, 'policy') };
    default:
      return policyShape(value, 'policy');
  }
}

/**
 * The policy itself, read member by member like a policy file. Throws `malformed`, `bad_note` or `bad_base64` for a
 * policy that cannot be meant: a member is missing or of another type, a key is invalid or occurs twice, an operator is
 * spelt in two ways, or more operators are required than listed.
 */
export function requirePolicy(sha256: Sha256, given: Policy): Policy {
  const value = { ...given, type: 'assay-policy/3' };
  const { type: _, ...policy } = policyShape(wire(value), 'policy');
  const keys = policy.checkpoint_keys.map((key) => parseNoteKey(sha256, key));
  const { witnesses, witnesses_required: witnessed, cosigners, cosigners_required } = policy;
  const seen: Uint8Array[] = keys.map(({ publicKey }) => publicKey);
  for (const [i, { vkey }] of witnesses.entries()) {
    const { publicKey } = witnessKey(sha256, vkey);
    // A cosignature does not contain the name it is under, so one key is one witness.
    if (seen.some((each) => equalBytes(each, publicKey))) {
      throw malformed(`policy.witnesses[${i}].vkey`, 'a key that is listed once', vkey);
    }
    seen.push(publicKey);
  }
  if (new Set(cosigners.map(({ key }) => key)).size < cosigners.length) {
    throw malformed('policy.cosigners', 'each key once', cosigners.map(({ key }) => key).join(' '));
  }
  requireOperators('witnesses', witnessed, witnesses);
  requireOperators('cosigners', cosigners_required, cosigners);
  return policy;
}

function requireOperators(
  what: 'witnesses' | 'cosigners',
  required: number,
  listed: readonly { readonly operator: string }[],
): void {
  const spelled = new Map<string, string>();
  for (const [i, { operator: name }] of listed.entries()) {
    const first = spelled.get(foldedName(name)) ?? name;
    if (first !== name) {
      throw malformed(`policy.${what}[${i}].operator`, `${first}, spelled as before`, name);
    }
    spelled.set(foldedName(name), name);
  }
  const operators = spelled.size;
  if (required <= operators) return;
  throw malformed(
    `policy.${what}_required`,
    `at most ${operators}, the operators listed`,
    required,
  );
}

/**
 * What two spellings of one name have in common: NFKC, without letter case and spaces. It does not detect different
 * letters that look alike.
 */
function foldedName(name: string): string {
  const folded = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
  return folded.replace(/[\s\p{Z}]+/gu, ' ').trim();
}

/** A witness's key. Throws `bad_note` or `bad_base64`. */
export function witnessKey(sha256: Sha256, vkey: string): NoteKey {
  return parseNoteKey(sha256, vkey, NOTE_COSIGNATURE);
}

const pinShape: Parse<Pin> = object<Pin>({
  type: literal('assay-pin/1'),
  origin: string(1, 128),
  checkpoint_vkey: string(1, 512),
  log_id: hashHex,
  size: integer(1, Number.MAX_SAFE_INTEGER),
  root: hashHex,
});

export function formatPin(pin: Pin): Uint8Array {
  return formatWire(pin);
}

/** Throws `not_canonical` or `malformed`. */
export function parsePin(bytes: Uint8Array): Pin {
  return pinShape(parseWire(bytes), 'pin');
}
