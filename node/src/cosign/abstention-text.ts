/** What the reasons of the project's own recounter mean, for readers. */
const WORDS: Readonly<Record<string, string>> = {
  withheld: 'the level is withheld',
  unread: 'it could read nothing',
  no_quorum: 'too few of its reads agree, and the time for reads is over',
  status: 'its reads give another status, and the time for reads is over',
  late: 'what it read came too late to count',
};

/** Why a co-signer abstains, as text. A reason that is not known here is returned as it is. */
export function abstentionText(reason: string): string {
  return Object.hasOwn(WORDS, reason) ? `${WORDS[reason]} (${reason})` : reason;
}
