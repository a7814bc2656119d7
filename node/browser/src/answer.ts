import type { Verdict } from '@assay/verifier/verdict/verdict';

/** What an OpenTimestamps proof says, and what of it was compared with its file. Nothing of it is proven without Bitcoin's headers. */
export interface Stamp {
  /** The name of the hash that the file was stamped with. */
  readonly hash: string;
  /** The digest that was stamped, in hex. */
  readonly stamped: string;
  /** The digest of the file that was given, in hex; null where none was. */
  readonly found: string | null;
  /** The blocks that it names, with the Merkle root that each must have, as explorers show it. */
  readonly blocks: readonly { readonly height: number; readonly merkleRoot: string | null }[];
  /** The calendars that promised a block. */
  readonly calendars: readonly string[];
}

/**
 * What a worker answers to each request, whatever happens in it. `ok` is true of a verdict that says "verified", and of
 * nothing else: a page shows every other answer as not verified.
 */
export interface Answer {
  readonly ok: boolean;
  /** `verified`, or why not: the code of the first finding, or of what kept the check from its end. */
  readonly code: string;
  /** A sentence for a reader; empty where the verdict says it all. */
  readonly why: string;
  /** Null where there was no verdict. */
  readonly verdict: Verdict | null;
  /** Null for everything but an `.ots` file. */
  readonly stamp: Stamp | null;
  /** The newest head that was seen, for the next visit; null where there is none. */
  readonly head: string | null;
}

/** The answer where there is no verdict. */
export function notVerified(code: string, why: string): Answer {
  return { ok: false, code, why, verdict: null, stamp: null, head: null };
}

/** The answer to a request whose check came to a verdict. */
export function answerOf(verdict: Verdict): Answer {
  const ok = verdict.outcome === 'verified';
  const [first] = verdict.outcome === 'verified' ? [] : verdict.findings;
  const code = ok ? 'verified' : (first?.code ?? 'incomplete');
  const why = verdict.outcome === 'incomplete' ? `${verdict.reason}.` : '';
  return { ok, code, why, verdict, stamp: null, head: null };
}

/** What is told of a check before its end. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly what: string;
}

const MALFORMED = notVerified(
  'malformed_answer',
  'The verifier answered something that is no answer.',
);

type Loose = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The progress in a message; undefined where it is something else. */
export function readProgress(message: unknown): Progress | undefined {
  if (!isObject(message) || !isObject(message['progress'])) return undefined;
  const { done, total, what } = message['progress'];
  if (typeof done !== 'number' || typeof total !== 'number' || typeof what !== 'string') {
    return undefined;
  }
  return { done, total, what };
}

/**
 * The answer in a message. Where `ok` and the verdict do not say the same, or anything is missing, the answer is that
 * nothing was verified. Never throws.
 */
export function readAnswer(message: unknown): Answer {
  if (!isObject(message)) return MALFORMED;
  const { ok, code, why, verdict, stamp, head } = message;
  if (typeof ok !== 'boolean' || typeof code !== 'string' || typeof why !== 'string') {
    return MALFORMED;
  }
  if (![verdict, stamp].every((each) => each === null || isObject(each))) return MALFORMED;
  if (head !== null && typeof head !== 'string') return MALFORMED;
  const isYes = isObject(verdict) && isVerified(verdict);
  if (ok !== isYes || ok !== (code === 'verified')) return MALFORMED;
  return { ok, code, why, verdict, stamp, head } as unknown as Answer;
}

/** Whether a verdict says yes and has what each that does has. */
function isVerified(verdict: Loose): boolean {
  const { outcome, log, checked, not_checked: notChecked, findings } = verdict;
  return (
    outcome === 'verified' &&
    isObject(log) &&
    isObject(checked) &&
    Array.isArray(notChecked) &&
    findings === undefined
  );
}
