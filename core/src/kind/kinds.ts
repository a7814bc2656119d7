import type { Sha256 } from '../hash/hash.ts';
import type { Parse } from '../wire/schema.ts';
import type { WireObject } from '../wire/wire.ts';
import { type Anchor, parseAnchor } from './anchor.ts';
import { type Beacon, parseBeacon } from './beacon.ts';
import { type CosignerSet, parseCosignerSet } from '../report/cosigner-set.ts';
import { type CheckpointKeyBody, parseCheckpointKeyBody } from './checkpoint-key.ts';
import { type CloseEntry, parseCloseEntry } from './close.ts';
import { type Cosign, parseCosign } from './cosign.ts';
import { type Dissent, parseDissent } from './dissent.ts';
import { type Genesis, parseGenesis } from './genesis.ts';
import { type KeyEntry, parseKeyEntry } from './key.ts';
import { type IndexEntry, parseIndexEntry } from './index-entry.ts';
import { type NoteEntry, parseNoteEntry } from './note.ts';
import { parsePrintEntry, type PrintEntry } from './print-entry.ts';
import { parseReportEntry, type ReportEntry } from './report-entry.ts';
import { parseStatementEntry, type StatementEntry } from './statement-entry.ts';
import { parseRevision, type Revision } from './revision.ts';
import { type RuleEntry, ruleEntryParser } from './rule-entry.ts';
import { type ArenaRuleEntry, arenaRuleEntryParser } from './arena-rule.ts';
import { type Answers, parseAnswers } from './answers.ts';
import { type Asset, parseAsset } from './asset.ts';
import { type Benchmark, parseBenchmark } from './benchmark.ts';
import { type EventClose, parseEventClose } from './event-close.ts';
import { type EventOpen, parseEventOpen } from './event.ts';
import { type Outcome, parseOutcome } from './outcome.ts';
import { parseQuestion, type Question } from './question.ts';
import { parseReceiptEntry, type ReceiptEntry } from './receipt-entry.ts';
import { parseScoreRuleEntry, type ScoreRuleEntry } from './score-rule-entry.ts';
import { parseSplit, type Split } from './split.ts';
import { parseStudy, type Study } from './study.ts';
import { parseTick, type Tick } from './tick.ts';
import { type Forecast, parseForecast } from './forecast.ts';
import { type Freeze, parseFreeze } from './freeze.ts';
import { type Grade, parseGrade } from './grade.ts';
import { parseRound, type Round } from './round.ts';
import { parseUnseal, type Unseal } from './unseal.ts';

/** A body with the kind that determines its meaning. */
export type KnownBody =
  | { readonly kind: 'genesis/1'; readonly body: Genesis }
  | { readonly kind: 'rule/1'; readonly body: RuleEntry }
  | { readonly kind: 'report/1'; readonly body: ReportEntry }
  | { readonly kind: 'revision/1'; readonly body: Revision }
  | { readonly kind: 'cosigners/1'; readonly body: CosignerSet }
  | { readonly kind: 'cosign/1'; readonly body: Cosign }
  | { readonly kind: 'dissent/1'; readonly body: Dissent }
  | { readonly kind: 'print/1'; readonly body: PrintEntry }
  | { readonly kind: 'statement/1'; readonly body: StatementEntry }
  | { readonly kind: 'key/1'; readonly body: KeyEntry }
  | { readonly kind: 'key/2'; readonly body: CheckpointKeyBody }
  | { readonly kind: 'close/1'; readonly body: CloseEntry }
  | { readonly kind: 'index/1'; readonly body: IndexEntry }
  | { readonly kind: 'anchor/1'; readonly body: Anchor }
  | { readonly kind: 'beacon/1'; readonly body: Beacon }
  | { readonly kind: 'score-rule/1'; readonly body: ScoreRuleEntry }
  | { readonly kind: 'asset/1'; readonly body: Asset }
  | { readonly kind: 'tick/1'; readonly body: Tick }
  | { readonly kind: 'event/1'; readonly body: EventOpen }
  | { readonly kind: 'event-close/1'; readonly body: EventClose }
  | { readonly kind: 'receipt/1'; readonly body: ReceiptEntry }
  | { readonly kind: 'benchmark/1'; readonly body: Benchmark }
  | { readonly kind: 'split/1'; readonly body: Split }
  | { readonly kind: 'study/1'; readonly body: Study }
  | { readonly kind: 'study/2'; readonly body: Study }
  | { readonly kind: 'arena-rule/1'; readonly body: ArenaRuleEntry }
  | { readonly kind: 'round/1'; readonly body: Round }
  | { readonly kind: 'forecast/1'; readonly body: Forecast }
  | { readonly kind: 'freeze/1'; readonly body: Freeze }
  | { readonly kind: 'unseal/1'; readonly body: Unseal }
  | { readonly kind: 'grade/1'; readonly body: Grade }
  | { readonly kind: 'question/1'; readonly body: Question }
  | { readonly kind: 'answers/1'; readonly body: Answers }
  | { readonly kind: 'outcome/1'; readonly body: Outcome }
  | { readonly kind: 'note/1'; readonly body: NoteEntry };

export type Kind = KnownBody['kind'];

/**
 * The closed list of nouns that a kind may have. A log with any other noun is not of this format. Those without a
 * parser here are announced (`ANNOUNCED_KINDS`) and come with the part of Assay that writes them. Until then a verifier
 * reports that it did not understand them, which is not "verified".
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
  'statement',
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
  'arena-rule',
  'round',
  'forecast',
  'freeze',
  'unseal',
  'grade',
  'note',
];

/** Whether the noun of `kind` is in the closed list. */
export function isListedKind(kind: string): boolean {
  return KIND_NOUNS.includes(kind.slice(0, kind.indexOf('/')));
}

/** Parses bodies of every kind that this version understands. */
export type BodyParser = (kind: string, body: WireObject) => KnownBody | undefined;

/**
 * A parser of bodies: `undefined` for a kind that it does not know, `malformed` for a body that does not fit its kind.
 */
export function bodyParser(sha256: Sha256): BodyParser {
  const parsers: ReadonlyMap<string, Parse<unknown>> = new Map<Kind, Parse<unknown>>([
    ['genesis/1', parseGenesis],
    ['rule/1', ruleEntryParser(sha256)],
    ['report/1', parseReportEntry],
    ['revision/1', parseRevision],
    ['cosigners/1', parseCosignerSet],
    ['cosign/1', parseCosign],
    ['dissent/1', parseDissent],
    ['print/1', parsePrintEntry],
    ['statement/1', parseStatementEntry],
    ['key/1', parseKeyEntry],
    ['key/2', parseCheckpointKeyBody],
    ['close/1', parseCloseEntry],
    ['index/1', parseIndexEntry],
    ['anchor/1', parseAnchor],
    ['beacon/1', parseBeacon],
    ['score-rule/1', parseScoreRuleEntry],
    ['asset/1', parseAsset],
    ['tick/1', parseTick],
    ['event/1', parseEventOpen],
    ['event-close/1', parseEventClose],
    ['receipt/1', parseReceiptEntry],
    ['benchmark/1', parseBenchmark],
    ['split/1', parseSplit],
    ['study/1', parseStudy],
    ['study/2', parseStudy],
    ['arena-rule/1', arenaRuleEntryParser(sha256)],
    ['round/1', parseRound],
    ['forecast/1', parseForecast],
    ['freeze/1', parseFreeze],
    ['unseal/1', parseUnseal],
    ['grade/1', parseGrade],
    ['question/1', parseQuestion],
    ['answers/1', parseAnswers],
    ['outcome/1', parseOutcome],
    ['note/1', parseNoteEntry],
  ]);
  return (kind, body) => {
    const parse = parsers.get(kind);
    if (parse === undefined) return undefined;
    return { kind, body: parse(body, 'body') } as KnownBody;
  };
}
