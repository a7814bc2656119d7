/** Things that no check lifts. */
export type LimitRemedy = 'none';

/** Things that another check would show, and that was not asked for. */
export type OptionRemedy =
  | 'whole_log' // the whole log shows it, and what was verified is less than that
  | 'from_start' // checking again what an earlier visit checked
  | 'witnesses' // witnesses whom the policy lists
  | 'headers' // headers of Bitcoin, or newer ones
  | 'accounts' // accounts of the chain, or those of another node
  | 'program' // comparing the program on the chain with the published one
  | 'extract' // taking texts from their pages again
  | 'market' // recomputing scores from the prices, for whoever has them
  | 'watch' // following the log and those of its co-signers
  | 'later' // the same again, once what is pending is there
  | 'clock'; // a clock of the verifier

/** Things that are not as they usually are, and on which money may depend. */
export type WarningRemedy =
  | 'ask_publisher' // something due is missing or late, and only the publisher can say why
  | 'ask_cosigners' // co-signers are silent, or were left out
  | 'ask_source' // a time that the publisher states of a source
  | 'other_node' // what the accounts that were given do not show
  | 'newer_log' // a newer head of the log must have it
  | 'other_log' // another log, which was not verified
  | 'own_copies' // entries that nobody can show, but for receipts and heads that somebody kept
  | 'limits' // more than one verification goes through
  | 'again'; // what came after the findings

/**
 * What somebody can do about a reservation, and so what it is: a limit, an option or a warning. The list is closed, and a
 * reservation must name one, so that none is hidden by default.
 */
export type Remedy = LimitRemedy | OptionRemedy | WarningRemedy;

export type ReservationKind = 'limit' | 'option' | 'warning';

const LIMIT: LimitRemedy = 'none';
const WARNINGS: ReadonlySet<Remedy> = new Set<WarningRemedy>([
  'ask_publisher',
  'ask_cosigners',
  'ask_source',
  'other_node',
  'newer_log',
  'other_log',
  'own_copies',
  'limits',
  'again',
]);

/** What a reservation with this remedy is. */
export function kindOf(remedy: Remedy): ReservationKind {
  if (remedy === LIMIT) return 'limit';
  return WARNINGS.has(remedy) ? 'warning' : 'option';
}
