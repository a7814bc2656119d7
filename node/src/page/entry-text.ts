import type { Entry } from '@assay/core/log/entry';

/** What an entry of a kind is, for people, by the noun of the kind. */
const NOUNS: Readonly<Record<string, string>> = {
  genesis: 'Beginning of the log',
  rule: 'Rule of an index',
  report: 'Report: the number of a period',
  revision: 'Revision by the source of an index',
  cosign: 'Statement of a recounter: the same number',
  dissent: 'Statement of a recounter: another number',
  cosigners: 'Set of recounters',
  close: 'Close of a day',
  anchor: 'Anchor in Bitcoin',
  beacon: 'Newest Bitcoin block',
  print: 'On chain: a print or a Close',
  statement: 'Statement that this recounter made on another log',
  index: 'Index entry: all reports of a day',
  key: 'Change of a key',
  tick: 'Tick: the scores of one time',
  'score-rule': 'Rule of the Activity score',
  asset: 'Asset',
  event: 'Event of an asset opens',
  'event-close': 'Event of an asset closes',
  receipt: 'Receipt: what followed an event',
  benchmark: 'Benchmark',
  split: 'Split of an asset',
  study: 'Study of base rates',
  'arena-rule': 'Rule of the Arena',
  round: 'Round of the Arena opens',
  forecast: 'Forecast',
  freeze: 'Forecasts are frozen',
  unseal: 'Forecasts are opened',
  grade: 'Forecasts are graded',
  question: 'Question on an event',
  answers: 'Answers to a question',
  outcome: 'Outcome of a question',
  note: 'Note of the publisher',
};

/** The noun of a kind: `report` of `report/1`. */
export function nounOf(kind: string): string {
  return kind.split('/')[0] ?? kind;
}

/** What an entry is, for people. A kind without a text is named as the log does. */
export function kindText(kind: string): string {
  return NOUNS[nounOf(kind)] ?? kind;
}

/** The nouns with a text, for a list to choose from. */
export const NAMED_NOUNS: readonly (readonly [string, string])[] = Object.entries(NOUNS);

/** What the body of an entry names of itself: its index or asset, and its period or day. Empty where it names neither. */
export function aboutText({ body }: Pick<Entry, 'body'>): string {
  const parts: unknown[] = [body, body['report'], body['rule'], body['statement'], body['close']];
  const named = (names: readonly string[]): string | undefined => {
    for (const part of parts) {
      if (typeof part !== 'object' || part === null || Array.isArray(part)) continue;
      for (const name of names) {
        const text = (part as Readonly<Record<string, unknown>>)[name];
        if (typeof text === 'string') return text;
        if (typeof text === 'number') return String(text);
      }
    }
    return undefined;
  };
  const who = named(['ticker', 'symbol', 'handle', 'round']);
  const when = named(['period', 'day', 'date', 'ts', 'height', 'batch']);
  return [who, when].filter((each) => each !== undefined).join(', ');
}
