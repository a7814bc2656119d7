import type { WarningRemedy } from '../verdict/remedy.ts';
import type { NotChecked } from '../verdict/verdict.ts';

/** What a warning is about, for a program. The list may grow. */
export type WarningCode =
  | WarningRemedy
  | 'development' // nothing of a development log may be settled on
  | 'key_not_vouched' // nobody named the key
  | 'not_recounted' // the log asks for no co-signers
  | 'too_few_cosigners' // fewer than the log asks for agreed
  | 'dissent' // a co-signer counted another number
  | 'publishers_cosigners' // the publisher chose the co-signers, and the policy requires none
  | 'superseded' // a later report of the period is known
  | 'file_alone' // a bundle does not show something that a settlement depends on
  | 'no_block' // no block holds it yet
  | 'block_not_proven' // nothing proves that its block is Bitcoin's
  | 'stamp_late' // the log is no longer stamped
  | 'cheap_headers' // headers with less work than Bitcoin's
  | 'chain_behind' // the log has what the chain lacks
  | 'chain_newer' // the chain has what came after the log
  | 'chain_unseen' // accounts that were not given
  | 'one_source' // ticks of one source
  | 'ticks_late'; // ticks that were written late

/** What is not as it usually is beside a verdict, and what to do about it: a sentence each. */
export interface Warning {
  readonly code: WarningCode;
  readonly text: string;
  readonly todo: string;
  /** The reservations of the verdict that it is about, where it is about any. The text names the first of many. */
  readonly of?: readonly NotChecked[];
}
