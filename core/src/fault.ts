/**
 * Every error that this project throws on bad input.
 *
 * The meaning of a code never changes; the text around it may. A programmer's mistake is a `TypeError` instead,
 * and an absent key is `undefined`, not an error.
 */
export const FAULT_CODES = [
  'bad_length', // bytes of the wrong length
  'bad_hex', // not lower-case hex
  'bad_base64', // not canonical base64
  'bad_utf8', // not UTF-8
  'not_canonical', // JSON that is not in its canonical form
  'not_representable', // a value that canonical JSON cannot carry
  'malformed', // a wire object that does not fit its closed schema
  'too_large', // larger than a named limit
  'copy_full', // a copy of somebody else's log has no room left
  'bad_note', // a signed note that breaks its format, or whose signatures do not verify
  'bad_proof', // a Merkle proof that does not verify, or an OpenTimestamps proof that breaks its format
  'bad_header', // a Bitcoin header that breaks its format, its chain or its work
  'bad_path', // a tile path that names no tile
  'out_of_range', // a number outside its type
  'wrong_head', // a write that builds on a head that is not the ledger's
  'guard_conflict', // the head guard holds another head than expected
  'guard_missing', // a log that has a head guard was opened without it
  'guard_corrupt', // the head guard's file is cut or damaged
  'ledger_behind', // the database is smaller than a head that was published
  'ledger_differs', // the database and a published head share no history
  'head_lost', // a signed head that others hold covers entries that nobody has
  'ledger_corrupt', // the database contradicts itself
  'storage_failed', // the disk could not read or write; its contents may be undamaged
  'no_room', // the disk is full or read-only: nothing is written until it has room
  'bad_clock', // the clock is too far from Bitcoin's newest block to date anything
  'replay_differs', // a log that differs from a replay of its data
  'read_only', // the ledger takes no writes now, with the reason
  'unproven', // the entries that the ledger's rows follow from are still being read again
  'stopped', // a write failed earlier: nothing more is written until a restart compares again
  'blob_missing', // a blob that an entry names is missing
  'blob_differs', // a blob whose bytes do not have its hash
  'key_missing', // a key file is missing
  'key_locked', // a key file needs its passphrase, or was given a wrong one
  'key_exposed', // a key file that others may read
  'binary_differs', // a native binary that is not one of those that may be loaded
  'bad_config', // a config file or variable that does not fit
  'not_empty', // a folder that would be overwritten
  'not_found', // a name that does not exist
  'not_checked', // something that could not be checked
  'unreachable', // a peer that did not answer
  'timeout', // a peer that answered too late
  'refused', // a peer that refused
  'redirect_refused', // a redirect to a host that the rule does not allow
  'address_refused', // a host that leads to an address that is not public
  'unsupported', // a known thing that this version cannot do
  'work_exceeded', // work on foreign bytes that its budget of steps or of time ended without an answer
  'unmet', // a print that is valid but does not meet its reader's demands
] as const;

export type FaultCode = (typeof FAULT_CODES)[number];

/** What went wrong, as data: a fixed code, a title, and where known what was expected and found. */
export interface FaultDetail {
  readonly expected?: string;
  readonly found?: string;
  readonly at?: string;
  readonly cause?: unknown;
}

export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly expected: string | undefined;
  readonly found: string | undefined;
  /** The place in the input, such as `report.rule.hash` or `byte 17`. */
  readonly at: string | undefined;

  constructor(code: FaultCode, title: string, detail: FaultDetail = {}) {
    const place = detail.at === undefined ? '' : ` at ${detail.at}`;
    const expected = detail.expected === undefined ? '' : `: expected ${detail.expected}`;
    const found = detail.found === undefined ? '' : `, found ${detail.found}`;
    super(
      `${title}${place}${expected}${found}`,
      detail.cause === undefined ? {} : { cause: detail.cause },
    );
    this.code = code;
    this.expected = detail.expected;
    this.found = detail.found;
    this.at = detail.at;
  }
}

/** The code of a `Fault`, or `undefined` for anything else. */
export function faultCode(error: unknown): FaultCode | undefined {
  return error instanceof Fault ? error.code : undefined;
}

/** The message of any thrown value, without a stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
