import type { Decision, Reason } from '../report/decide.ts';
import { decideAgain, decideReads, type DraftInput } from './draft.ts';
import type { Read, Report } from '../report/report.ts';
import type { Clocks } from '../rule/clocks.ts';
import type { Rule } from '../rule/rule.ts';
import type { OwnRecount, Recounted, Statement } from '../report/statement.ts';
import { formatTime, parseDate, parseTime } from '../time/time.ts';

/** A report, and what its recount depends on. */
export interface RecountInput {
  /** The rule that the report names. */
  readonly rule: Rule;
  /** The clocks by which the report was published: `reportClocks`. */
  readonly clocks: Clocks;
  readonly report: Report;
  /** Reads of the rule's providers for the report's period, by whoever recounts it. */
  readonly reads: readonly Read[];
  /** Why the period's report before this one was not final; null where there is none. */
  readonly open: Reason | null;
}

/** The result of own reads for a report's period, at the time of the report. */
export interface Recount extends Recounted {
  /** Whether enough reads agree; otherwise a later poll may have another result. */
  readonly quorate: boolean;
}

/**
 * The result of these reads at the time of the report, by the same function with which the publisher decides.
 * Undefined if they give no result, and for a withheld level, which nobody else can recount.
 */
export function recount({ rule, clocks, report, reads, open }: RecountInput): Recount | undefined {
  if (report.withheld) return undefined;
  const again = report.status === 'corrected';
  const input: DraftInput = {
    log: report.log,
    rule,
    ruleHash: report.rule.hash,
    period: parseDate(report.period),
    clocks,
    reads,
    publishedAt: parseTime(report.published_at),
    cosigners: report.cosigners,
    after: report.after,
    withheld: null,
  };
  const decision = again ? decideAgain(input) : againstVoid(input, report, open);
  if (decision.status === 'wait') return undefined;
  const { status, reason, value } = decision;
  return {
    status: again && status === 'final' ? 'corrected' : status,
    value: value === null ? null : value.toString(),
    quorate: reason !== 'no_quorum' && reason !== 'dispersion',
  };
}

/**
 * What reads decide that were in time for a first print. That the publisher printed nothing before a void takes nothing
 * from a number that others read, which counts against the void as if it had been printed. So does a late number,
 * whether or not the log has a quorum that saw it, because the publisher may have left those statements out.
 */
function againstVoid(input: DraftInput, { status }: Report, open: Reason | null): Decision {
  const decision = decideReads(input, input.reads, open);
  if (status !== 'void') return decision;
  const { clocks } = input;
  const isUnseen = clocks.frozen === Number.POSITIVE_INFINITY;
  if (decision.status !== 'wait' && !isUnseen) return decision;
  const seen = isUnseen ? { ...clocks, frozen: clocks.release } : clocks;
  const printed = decideReads({ ...input, clocks: seen }, input.reads, 'freeze_window');
  return printed.status === 'final' ? printed : decision;
}

/**
 * Why the period's report before this one was not final, as far as a report itself shows it. That is enough for a
 * recount, whose status and value depend only on whether there was one. Null where there was none.
 */
export function openBefore({ supersedes, status, reason }: Report): Reason | null {
  if (supersedes === null) return null;
  return status === 'void' && (reason === 'no_quorum' || reason === 'dispersion')
    ? reason
    : 'freeze_window';
}

/**
 * The result of the rule on the bytes that are stored for a report; `reads` are as the report states them. Null
 * if there is no result; undefined if some bytes may not be stored, so that they show nothing.
 */
export function recountKept({ reads, ...of }: RecountInput): Recounted | null | undefined {
  if (reads.some(({ snapshot, retain }) => snapshot !== null && retain !== 'bytes')) {
    return undefined;
  }
  // A read without a result cannot have had a value.
  const kept = reads.map((read) =>
    read.snapshot === null && read.outcome === 'ok'
      ? { ...read, outcome: 'malformed' as const, value: null }
      : read,
  );
  return recount({ ...of, reads: kept }) ?? null;
}

/** Where a statement's own members do not support its verdict. */
export interface Ungrounded {
  /** The member of the statement. */
  readonly at: string;
  readonly expected: string;
  readonly found: string;
}

/**
 * Checks a statement on a report against what it states about the co-signer's own reads and the stored bytes;
 * undefined if they support it. Its reads must be of the rule's providers, each once and in the rule's order,
 * made before it was signed, and the rule must have the stated result on them. An agreement must have an answer
 * from some source, and the report's number and status as its own result; a dissent must have another result.
 * What it states about the stored bytes must be their result, if that is known (`recountKept`).
 */
export function groundFault(
  { verdict, basis, kept, own, signed_at: signed }: Statement,
  { rule, clocks, report, open }: Omit<RecountInput, 'reads'>,
  bytes: Recounted | null | undefined,
): Ungrounded | undefined {
  const fault = own === null ? undefined : ownFault(own, { rule, clocks, report, open }, signed);
  if (fault !== undefined) return fault;
  if (kept !== null && bytes !== undefined && textOf(kept) !== textOf(bytes)) {
    return { at: 'kept', expected: textOf(bytes), found: textOf(kept) };
  }
  const results: readonly (readonly [string, Recounted | null])[] = [
    ['own', own],
    ['kept', kept],
  ];
  for (const [at, each] of results) {
    const isBasis = (at === 'own') === (basis === 'own_read');
    const agreed = each !== null && agrees(report, each);
    if (verdict === 'agree' && (each === null ? isBasis : !agreed)) {
      return { at, expected: textOf(report), found: textOf(each) };
    }
    if (verdict === 'dissent' && isBasis && (each === null || agreed)) {
      const expected = `another than ${textOf(report)}`;
      return { at, expected, found: textOf(each) };
    }
  }
  const silent = own?.reads.every(({ snapshot }) => snapshot === null) === true;
  if (verdict !== 'agree' || !silent) return undefined;
  return { at: 'own.reads', expected: 'something from one source at least', found: 'nothing' };
}

function ownFault(
  own: OwnRecount,
  of: Omit<RecountInput, 'reads'>,
  signed: string,
): Ungrounded | undefined {
  const { reads } = own;
  const named = of.rule.providers.map(({ id, role, retain }) => `${id} ${role} ${retain}`);
  const read = reads.map(({ provider, role, retain }) => `${provider} ${role} ${retain}`);
  if (named.join() !== read.join()) {
    return { at: 'own.reads', expected: named.join(), found: read.join() };
  }
  const from = formatTime(of.clocks.release);
  for (const [i, { outcome, value, snapshot, read_at: at }] of reads.entries()) {
    const place = `own.reads[${i}]`;
    if (at < from || at > signed) {
      return { at: place, expected: `read from ${from} to ${signed}`, found: at };
    }
    const good = outcome === 'ok';
    if (good !== (value !== null) || (good && snapshot === null)) {
      const expected = good ? 'a value and a snapshot' : 'no value';
      return { at: place, expected, found: `${outcome} ${value}` };
    }
  }
  const again = recount({ ...of, reads }) ?? null;
  if (textOf(again) === textOf(own)) return undefined;
  return { at: 'own', expected: textOf(again), found: textOf(own) };
}

function textOf(found: Recounted | null): string {
  return found === null ? 'nothing' : `${found.status} ${found.value ?? ''}`.trim();
}

/** Whether a recount has the result that the report states. */
export function agrees(report: Report, { status, value }: Recounted): boolean {
  return status === report.status && value === report.value;
}

/** The relation of a recount to a report: `open` where a later poll may still decide it. */
export type Comparison = 'agrees' | 'differs' | 'open';

export function compareRecount(report: Report, own: Recount | undefined): Comparison {
  if (own === undefined) return 'open';
  if (agrees(report, own)) return 'agrees';
  if (!own.quorate) return 'open';
  // A provisional states less where its publisher saw less, which contradicts nothing.
  const less = report.status === 'provisional' && own.status === 'final';
  return less && report.value === own.value ? 'open' : 'differs';
}

/** Whether a report is made from reads inside the freeze window, which later reads cannot contradict. */
export function restsInside({ frozen }: Clocks, report: Report): boolean {
  const { reads, status } = report;
  return status !== 'corrected' && reads.every(({ read_at: at }) => parseTime(at) < frozen);
}

/**
 * Unix seconds after which no read can count toward a report: the end of the time for first prints. A
 * correction is made from later reads, and has a deadline of its own.
 */
export function recountUntil({
  rule,
  clocks,
  report,
}: Pick<RecountInput, 'rule' | 'clocks' | 'report'>): number {
  if (report.status === 'corrected') {
    return parseTime(report.published_at) + rule.release.deadline_s;
  }
  return clocks.firstPrint;
}
