/**
 * Every refusal of the program, by number: the custom program error is 6000 + the place in this list. The
 * meaning of a number never changes, and new numbers are added at the end.
 */
export const CHAIN_ERRORS = [
  'instruction', // the first byte names no instruction
  'data', // instruction data of another length, or numbers that cannot be
  'accounts', // another number of accounts, or one account twice
  'not_signer', // an account that must sign did not
  'not_writable', // an account that must be writable is not
  'wrong_owner', // an account of another owner
  'wrong_size', // an account of another length
  'wrong_magic', // an account of another kind
  'wrong_address', // not the address that the seeds give
  'exists', // the account is there already
  'wrong_program', // not the system program
  'wrong_sysvar', // not the instructions sysvar
  'wrong_feed', // a page or a Close of another feed or day
  'wrong_page', // a page that does not hold the period
  'ed_instruction', // the index names no Ed25519 instruction
  'ed_offsets', // Ed25519 offsets outside the instruction, or into another one
  'ed_message', // signatures over different messages, or over one of another length
  'ed_count', // no signature, or more than a publisher and a whole set
  'repeated_signer', // a key that signed twice
  'unknown_signer', // a signer that is neither publisher nor co-signer
  'no_publisher', // the publisher did not sign
  'no_quorum', // fewer co-signers than the set's threshold
  'message_magic', // the message begins with another magic
  'wrong_series', // a message of another series
  'wrong_rule', // a message under another rule than the period's
  'no_rule', // no rule holds for the period
  'rule_waits', // a rule still waits: the period's, or the newest
  'bad_status', // a status that is not 1 to 4
  'bad_decimals', // other decimals than the feed's, or more than 18
  'bad_flags', // flags without a meaning, or settleable on what does not settle
  'bad_value', // a value where there is none
  'bad_issue', // an issue that does not follow
  'bad_period', // a day that names no period of the feed
  'bad_time', // published before its period, or after the chain's clock
  'settled', // the period is final or void
  'no_final', // a correction of a period that is not final
  'bad_ticker', // a ticker that is none
  'bad_cadence', // a cadence that is not 1 to 3
  'bad_threshold', // a threshold that is 0, not more than half, more than the keys, or more than 5
  'bad_key', // a key that is not a canonical point of the prime-order group
  'repeated_key', // a key that stands in another role
  'rules_full', // no room for another rule
  'sets_full', // no room for another co-signer set
  'rule_order', // a first period that is not after the last final and the rule before
  'not_publisher', // the signer is not the feed's publisher
  'wrong_next_key', // not the key that was committed to as the next
  'wrong_recovery_key', // not the recovery key
  'rotation_waits', // a rotation waits already
  'no_rotation', // no rotation waits
  'day_not_over', // a Close of a day that is not over
  'repeated_close', // a Close that was there before
  'close_full', // no room for another version of the Close
  'wrong_log', // a Close of another log
  'no_such_print', // a dissent from a print that is not there
  'dissented', // a dissent that is there already
  'overflow', // a number beyond its type
  'corrupt', // an account or a sysvar that contradicts itself
  'set_waits', // the newest co-signer set still waits
  'rule_time', // a first period that begins before the rule takes effect, or more than 400 days ahead
  'no_waiting_rule', // no rule waits, or it takes effect within two minutes
  'no_waiting_set', // no co-signer set waits, or it takes effect within two minutes
] as const;

export type ChainError = (typeof CHAIN_ERRORS)[number];

/** The first custom program error of this program. */
export const FIRST_ERROR = 6000;

/** The name of a custom program error, or `undefined` for one of another program. */
export function chainError(code: number): ChainError | undefined {
  return CHAIN_ERRORS[code - FIRST_ERROR];
}

/** The custom program error of a name. */
export function chainErrorCode(error: ChainError): number {
  return FIRST_ERROR + CHAIN_ERRORS.indexOf(error);
}
