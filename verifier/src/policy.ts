import type { HashHex, Sha256 } from '@assay/core/hash';
import { parseNoteKey } from '@assay/core/note';
import {
  array,
  boolean,
  hashHex,
  integer,
  literal,
  nullable,
  object,
  type Parse,
  string,
} from '@assay/core/schema';
import { formatWire, parseWire, type WireObject, type WireValue } from '@assay/core/wire';

/**
 * Whom to believe. Nothing that a log says about itself is a reason to trust it: its keys come from
 * here, from a pin of an earlier visit, or, once, from the log with `trust: first_use` in the verdict.
 */
export interface Policy {
  /** Verifier keys that may sign this log's checkpoints; empty: pin on first use. */
  readonly checkpoint_keys: readonly string[];
  /** The log's id, where it is known. */
  readonly log_id: HashHex | null;
  /** Strict: every signature line of a checkpoint must be by a listed key. */
  readonly strict: boolean;
}

export const OPEN_POLICY: Policy = { checkpoint_keys: [], log_id: null, strict: false };

/** What a first visit leaves behind for the next: the key, the log, and the newest head seen. */
export interface Pin {
  readonly type: 'assay-pin/1';
  readonly origin: string;
  readonly checkpoint_vkey: string;
  readonly log_id: HashHex;
  readonly size: number;
  readonly root: HashHex;
}

const policyShape: Parse<Policy & { readonly type: 'assay-policy/1' }> = object<
  Policy & { readonly type: 'assay-policy/1' }
>({
  type: literal('assay-policy/1'),
  checkpoint_keys: array(string(1, 512), 0, 16),
  log_id: nullable(hashHex),
  strict: boolean,
});

/** A policy file's value. Throws `malformed`, `bad_note` or `bad_base64` for a key that is none. */
export function parsePolicy(sha256: Sha256, value: WireValue): Policy {
  const { checkpoint_keys, log_id, strict } = policyShape(value, 'policy');
  for (const key of checkpoint_keys) parseNoteKey(sha256, key);
  return { checkpoint_keys, log_id, strict };
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
  return formatWire(pin as unknown as WireObject);
}

/** Throws `not_canonical` or `malformed`. */
export function parsePin(bytes: Uint8Array): Pin {
  return pinShape(parseWire(bytes), 'pin');
}
