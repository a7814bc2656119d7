import type { HashHex, Sha256 } from '../../hash/hash.ts';
import { recordDigest } from '../../kind/record-digest.ts';
import { type Horizon, HORIZON_SECONDS } from '../../kind/horizon.ts';
import { formatTime, parseTime } from '../../time/time.ts';
import { assetRow } from '../../view/assets.ts';
import { scoreRuleOf } from '../../view/score-rules.ts';
import { stampedBatch } from '../../view/stamps.ts';
import { type EventRow, type EventStatus, eventStatus } from '../../view/terminal-events.ts';
import type { ViewState } from '../../view/view.ts';

/** Where the proofs of events and receipts are served. */
export const RECEIPT_PROOF_PATH = '/receipts/proof';

/** What is stamped for an event: the event as called, or one of its receipts. */
export const STAMP_POINTS = ['open', '24h', '7d', '30d'] as const;
export type StampPoint = (typeof STAMP_POINTS)[number];

/** A receipt, or that it is still due. Percentages have two decimals. */
export interface ReceiptPayload {
  readonly due_at: string;
  readonly status: 'pending' | 'resolved' | 'void';
  readonly ret_pct: number | null;
  readonly resolved_at: string | null;
  readonly void_reason: string | null;
  /** What the return is compared with; null where the event is the benchmark's own. */
  readonly benchmark: string | null;
  readonly benchmark_ret_pct: number | null;
  readonly benchmark_reason: string | null;
}

/** The state of a record's stamp. */
export interface EventProofPayload {
  readonly digest: string;
  readonly stamped_at: string | null;
  readonly bitcoin_height: number | null;
  readonly proof_url: string | null;
}

/** The members of an event that never change once it has closed. */
export interface EventPayload {
  readonly id: string;
  readonly status: EventStatus;
  readonly symbol: string;
  readonly name: string;
  readonly class: string;
  readonly opened_at: string;
  readonly closed_at: string | null;
  readonly close_reason: string | null;
  readonly score_at_open: number;
  /** Null while it is open, because the log states it at the close. */
  readonly peak_score: number | null;
  readonly move_24h: number | null;
  readonly vol_mult: number | null;
  readonly breadth: { readonly up: number; readonly down: number; readonly of: number };
  readonly rule: string;
  readonly receipts: { readonly [H in Horizon]: ReceiptPayload };
  readonly proofs: { readonly [P in StampPoint]: EventProofPayload | null };
}

export function eventPayload(state: ViewState, sha256: Sha256, row: EventRow): EventPayload {
  const { open, close } = row;
  const { id, symbol, opened_at, score, move_24h, vol_mult, breadth, rule } = open.body;
  const proof = (point: StampPoint): EventProofPayload | null => proofOf(state, sha256, row, point);
  return {
    id,
    status: eventStatus(row),
    symbol,
    name: nameOf(state, symbol),
    class: open.body.class,
    opened_at,
    closed_at: close?.body.closed_at ?? null,
    close_reason: close?.body.reason ?? null,
    score_at_open: score,
    peak_score: close?.body.peak_score ?? null,
    move_24h: hundredths(move_24h),
    vol_mult: hundredths(vol_mult),
    breadth,
    rule,
    receipts: {
      '24h': receiptPayload(state, row, '24h'),
      '7d': receiptPayload(state, row, '7d'),
      '30d': receiptPayload(state, row, '30d'),
    },
    proofs: { open: proof('open'), '24h': proof('24h'), '7d': proof('7d'), '30d': proof('30d') },
  };
}

/** The name that an asset has now; its symbol where the log does not list it. */
export function nameOf(state: ViewState, symbol: string): string {
  return assetRow(state, symbol)?.name ?? symbol;
}

/** Whether free lists show the events of an asset. */
export function isDisplayed(state: ViewState, symbol: string): boolean {
  return assetRow(state, symbol)?.display !== false;
}

/** Basis points as percent, or hundredths as a multiple. */
export function hundredths(value: number | null): number | null {
  return value === null ? null : value / 100;
}

export function receiptPayload(
  state: ViewState,
  { open, receipts, benchmarks }: EventRow,
  horizon: Horizon,
): ReceiptPayload {
  const { symbol, opened_at, class: of, rule } = open.body;
  const receipt = receipts[horizon]?.body;
  const measured = benchmarks[horizon]?.body;
  const benchmark =
    measured?.symbol ?? scoreRuleOf(state, of, rule)?.rule.receipts.benchmark ?? null;
  const own = benchmark === symbol;
  return {
    due_at: formatTime(parseTime(opened_at) + HORIZON_SECONDS[horizon]),
    status: receipt?.status ?? 'pending',
    ret_pct: hundredths(receipt?.ret ?? null),
    resolved_at: receipt?.resolved_at ?? null,
    void_reason: receipt?.reason ?? null,
    benchmark: own ? null : benchmark,
    benchmark_ret_pct: hundredths(measured?.ret ?? null),
    benchmark_reason: own ? 'own' : (measured?.reason ?? null),
  };
}

/** The digest that is stamped for an event; undefined while the log does not have it. */
export function stampedDigest(
  sha256: Sha256,
  { open, receipts }: EventRow,
  point: StampPoint,
): HashHex | undefined {
  const body = point === 'open' ? open.body : receipts[point]?.body;
  return body === undefined ? undefined : recordDigest(sha256, body);
}

/** Where the file of a proof is, from the service's address on. */
export function receiptProofUrl(id: string, point: StampPoint): string {
  return `${RECEIPT_PROOF_PATH}?event_id=${id}&horizon=${point}&format=ots`;
}

function proofOf(
  state: ViewState,
  sha256: Sha256,
  row: EventRow,
  point: StampPoint,
): EventProofPayload | null {
  const digest = stampedDigest(sha256, row, point);
  if (digest === undefined) return null;
  const anchor = stampedBatch(state, digest)?.anchor;
  return {
    digest,
    stamped_at: anchor?.stamped_at ?? null,
    bitcoin_height: anchor?.bitcoin[0]?.height ?? null,
    proof_url: anchor === undefined ? null : receiptProofUrl(row.open.body.id, point),
  };
}
