import type { Sha256 } from '../hash.ts';
import type { Parse } from '../schema.ts';
import type { WireObject } from '../wire.ts';
import { type Anchor, parseAnchor } from './anchor.ts';
import { type Beacon, parseBeacon } from './beacon.ts';
import { type CloseEntry, parseCloseEntry } from './close.ts';
import { type Genesis, parseGenesis } from './genesis.ts';
import { type NoteEntry, parseNoteEntry } from './note.ts';
import { parseReportEntry, type ReportEntry } from './report-entry.ts';
import { parseRevision, type Revision } from './revision.ts';
import { type RuleEntry, ruleEntryParser } from './rule-entry.ts';

/** A body with the kind that gives it its meaning. */
export type KnownBody =
  | { readonly kind: 'genesis/1'; readonly body: Genesis }
  | { readonly kind: 'rule/1'; readonly body: RuleEntry }
  | { readonly kind: 'report/1'; readonly body: ReportEntry }
  | { readonly kind: 'revision/1'; readonly body: Revision }
  | { readonly kind: 'close/1'; readonly body: CloseEntry }
  | { readonly kind: 'anchor/1'; readonly body: Anchor }
  | { readonly kind: 'beacon/1'; readonly body: Beacon }
  | { readonly kind: 'note/1'; readonly body: NoteEntry };

export type Kind = KnownBody['kind'];

/**
 * The nouns that a kind may name, for good: a log that says another is not of this format. Those
 * without a parser here come with the part of Assay that writes them; until then a verifier says
 * that it did not understand them, which is not "verified".
 */
export const KIND_NOUNS: readonly string[] = [
  'genesis',
  'rule',
  'report',
  'revision',
  'cosign',
  'dissent',
  'cosigners',
  'close',
  'anchor',
  'beacon',
  'print',
  'index',
  'key',
  'tick',
  'score-rule',
  'asset',
  'event',
  'event-close',
  'receipt',
  'benchmark',
  'split',
  'study',
  'question',
  'answers',
  'outcome',
  'round',
  'forecast',
  'freeze',
  'grade',
  'note',
];

/** Whether `kind` has one of the closed list's nouns. */
export function isListedKind(kind: string): boolean {
  return KIND_NOUNS.includes(kind.slice(0, kind.indexOf('/')));
}

/** Reads bodies of every kind that this version understands. */
export type BodyParser = (kind: string, body: WireObject) => KnownBody | undefined;

/** A reader of bodies: `undefined` for a kind it does not know, `malformed` for a body that does not fit. */
export function bodyParser(sha256: Sha256): BodyParser {
  const parsers: ReadonlyMap<string, Parse<unknown>> = new Map<Kind, Parse<unknown>>([
    ['genesis/1', parseGenesis],
    ['rule/1', ruleEntryParser(sha256)],
    ['report/1', parseReportEntry],
    ['revision/1', parseRevision],
    ['close/1', parseCloseEntry],
    ['anchor/1', parseAnchor],
    ['beacon/1', parseBeacon],
    ['note/1', parseNoteEntry],
  ]);
  return (kind, body) => {
    const parse = parsers.get(kind);
    if (parse === undefined) return undefined;
    return { kind, body: parse(body, 'body') } as KnownBody;
  };
}
