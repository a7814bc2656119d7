/**
 * Every error that this project throws on bad input.
 *
 * The meaning of a code (`FAULT_MEANINGS`) never changes; the text around it may. A programmer's mistake is a
 * `TypeError` instead, and an absent key is `undefined`, not an error.
 */
export const FAULT_CODES = [
  'bad_length',
  'bad_hex',
  'bad_base64',
  'bad_utf8',
  'not_canonical',
  'not_representable',
  'malformed',
  'too_large',
  'copy_full',
  'bad_note',
  'bad_proof',
  'bad_header',
  'bad_path',
  'out_of_range',
  'wrong_head',
  'guard_conflict',
  'guard_missing',
  'guard_corrupt',
  'guard_unknown',
  'epoch_over',
  'ledger_behind',
  'ledger_differs',
  'guard_unsafe',
  'not_fenced',
  'head_lost',
  'ledger_corrupt',
  'storage_failed',
  'no_room',
  'bad_clock',
  'replay_differs',
  'read_only',
  'unproven',
  'stopped',
  'signer_away',
  'signed_otherwise',
  'would_fork',
  'blob_missing',
  'blob_differs',
  'objects_unsafe',
  'objects_ahead',
  'objects_differ',
  'key_missing',
  'key_locked',
  'key_exposed',
  'binary_differs',
  'bad_config',
  'not_empty',
  'not_found',
  'not_checked',
  'unreachable',
  'timeout',
  'refused',
  'redirect_refused',
  'address_refused',
  'unsupported',
  'work_exceeded',
  'unmet',
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
