import { parseUtf8 } from '../../bytes/utf8.ts';
import type { Sha256 } from '../../hash/hash.ts';
import type { NullForecasts, Question, ServiceAnswer } from '../../kind/question.ts';
import { recordDigest, type StampedBody } from '../../kind/record-digest.ts';
import { rational } from '../../number/rational.ts';
import { brierOf, brierOfPercent, fractionText } from '../../referee/brier.ts';
import {
  type QuestionProgress,
  questionProgress,
  type QuestionRow,
  questionRow,
} from '../../view/referee.ts';
import { stampedBatch } from '../../view/stamps.ts';
import type { ViewState } from '../../view/view.ts';
import { formatWire } from '../../wire/wire.ts';
import { proofUrl } from '../proof.ts';
import { nameOf } from '../terminal/terminal-event.ts';

export const QUESTIONS_PATH = '/questions';

/** `open` takes answers; `closed` has opened them; `resolved` has an outcome, or is void. */
export const QUESTION_STATES = ['open', 'closed', 'resolved'] as const;
export type QuestionState = (typeof QUESTION_STATES)[number];

/** How far the stamp of a record is. */
export interface RecordProofPayload {
  readonly digest: string;
  readonly stamped_at: string | null;
  readonly bitcoin_height: number | null;
  /** The OpenTimestamps proof, from the service's address on; null while it waits for a batch. */
  readonly proof_url: string | null;
}

/** The answers to a question that has closed. */
export interface CrowdPayload {
  readonly count: number;
  readonly yes: number;
  readonly no: number;
  /** The share of yes as a fraction; null where nobody has answered. */
  readonly p: string | null;
  /** RFC 6962 root over the leaves. */
  readonly root: string;
  /** What opens every leaf, from the service's address on; null where nobody has answered. */
  readonly openings_url: string | null;
}

/** Brier scores as fractions. */
export interface QuestionScoresPayload {
  readonly service: string;
  readonly persistence: string;
  readonly always_under: string;
  readonly climatology: string;
  readonly crowd: string | null;
}

/** A question with what has become of it. */
export interface QuestionPayload {
  readonly id: string;
  readonly event_id: string;
  readonly symbol: string;
  readonly name: string;
  readonly question: string;
  readonly state: QuestionState;
  readonly opened_at: string;
  readonly closes_at: string;
  readonly resolves_at: string;
  readonly threshold: number;
  readonly tolerance_s: number;
  readonly rule: string;
  readonly score_rule: string;
  /** Whole percent of yes. */
  readonly nulls: NullForecasts;
  readonly service: ServiceAnswer;
  /** How many answers have been taken. What they are is shown when they close. */
  readonly answers: number;
  readonly crowd: CrowdPayload | null;
  /** Null until it is resolved, and of a void. */
  readonly outcome: 'yes' | 'no' | null;
  readonly void: boolean;
  readonly score: number | null;
  readonly resolved_at: string | null;
  readonly scores: QuestionScoresPayload | null;
  readonly proof: RecordProofPayload;
}

/** A question alone, with the bytes that are stamped. */
export interface QuestionDetailPayload extends QuestionPayload {
  readonly canonical_json: string;
  readonly digest_sha256: string;
  readonly proofs: {
    readonly question: RecordProofPayload;
    /** Null until the answers close. */
    readonly answers: RecordProofPayload | null;
    /** Null until there is an outcome. */
    readonly outcome: RecordProofPayload | null;
  };
}

/** A question as a list has it. */
export function questionPayload(
  state: ViewState,
  sha256: Sha256,
  { body }: QuestionRow,
): QuestionPayload {
  const progress = questionProgress(state, body.id) as QuestionProgress;
  const { closed, outcome } = progress;
  const isVoid = outcome?.body.outcome === 'void';
  return {
    id: body.id,
    event_id: body.event,
    symbol: body.symbol,
    name: nameOf(state, body.symbol),
    question: textOf(body),
    state: outcome !== null ? 'resolved' : closed !== null ? 'closed' : 'open',
    opened_at: body.opened_at,
    closes_at: body.closes_at,
    resolves_at: body.resolves_at,
    threshold: body.threshold,
    tolerance_s: body.tolerance_s,
    rule: body.rule,
    score_rule: body.score_rule,
    nulls: body.nulls,
    service: body.service,
    answers: progress.count,
    crowd: crowdPayload(progress),
    outcome: outcome === null || outcome.body.outcome === 'void' ? null : outcome.body.outcome,
    void: isVoid,
    score: outcome?.body.score ?? null,
    resolved_at: outcome?.body.resolved_at ?? null,
    scores: scoresPayload(body, progress),
    proof: proofOf(state, sha256, body),
  };
}

/** A question with everything about it; undefined where the log has none of that id. */
export function questionDetailPayload(
  state: ViewState,
  sha256: Sha256,
  id: string,
): QuestionDetailPayload | undefined {
  const row = questionRow(state, id);
  if (row === undefined) return undefined;
  const progress = questionProgress(state, id) as QuestionProgress;
  const proof = (of: { readonly body: StampedBody } | null): RecordProofPayload | null =>
    of === null ? null : proofOf(state, sha256, of.body);
  return {
    ...questionPayload(state, sha256, row),
    canonical_json: parseUtf8(formatWire(row.body)),
    digest_sha256: recordDigest(sha256, row.body),
    proofs: {
      question: proofOf(state, sha256, row.body),
      answers: proof(progress.closed),
      outcome: proof(progress.outcome),
    },
  };
}

function textOf({ symbol, threshold, resolves_at }: Question): string {
  return `Will the Activity score of ${symbol} be ${threshold} or more at its first good tick from ${resolves_at} on?`;
}

function crowdPayload({ closed }: QuestionProgress): CrowdPayload | null {
  if (closed === null) return null;
  const { count, yes, no, root, openings } = closed.body;
  const p = count === 0 ? null : fractionText(rational(BigInt(yes), BigInt(count)));
  const openings_url = openings === null ? null : `/blob/${openings}`;
  return { count, yes, no, p, root, openings_url };
}

function scoresPayload(
  { nulls, service }: Question,
  { closed, outcome }: QuestionProgress,
): QuestionScoresPayload | null {
  if (outcome === null || outcome.body.outcome === 'void') return null;
  const isYes = outcome.body.outcome === 'yes';
  const of = (p: number): string => fractionText(brierOfPercent(p, isYes));
  const { count = 0, yes = 0 } = closed?.body ?? {};
  const crowd = count === 0 ? null : brierOf(rational(BigInt(yes), BigInt(count)), isYes);
  return {
    service: of(service.p),
    persistence: of(nulls.persistence),
    always_under: of(nulls.always_under),
    climatology: of(nulls.climatology),
    crowd: crowd === null ? null : fractionText(crowd),
  };
}

function proofOf(state: ViewState, sha256: Sha256, body: StampedBody): RecordProofPayload {
  const digest = recordDigest(sha256, body);
  const anchor = stampedBatch(state, digest)?.anchor;
  return {
    digest,
    stamped_at: anchor?.stamped_at ?? null,
    bitcoin_height: anchor?.bitcoin[0]?.height ?? null,
    proof_url: anchor === undefined ? null : proofUrl(digest),
  };
}
