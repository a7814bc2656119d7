import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { isObject } from '@assay/core/wire/schema';
import { formatTime, parseTime } from '@assay/core/time/time';
import { type StatementRow, statementOn, statementsAfter } from '@assay/core/view/statements';
import type { ViewState } from '@assay/core/view/view';
import { formatWire } from '@assay/core/wire/wire';
import type { Clock } from '../platform/clock.ts';
import type { ProblemCode } from '../http/problem.ts';
import { NamedReports } from '../cosign/named-report.ts';
import { isOpenReport } from '../cosign/open-reports.ts';
import { type Turns, turnsUntil } from '../ledger/store/slices.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { FindingStore } from './finding-store.ts';
import type { Posted, PostStatement } from './recounter-parts.ts';
import { holdsStatement } from './poll/logged-statement.ts';

export interface OutboxParts {
  readonly post: PostStatement;
  readonly sha256: Sha256;
  /** The id of the publisher's log. */
  readonly log: () => HashHex | undefined;
  /** The rows of its own log, and of the copy of the publisher's. */
  readonly own: ViewState;
  readonly shown: () => ViewState;
  readonly findings: FindingStore;
  readonly now: Clock;
  /**
   * Stores a head that the publisher signed when it accepted a statement. False if the answer proves an entry
   * that is known to be another one, so that the statement was not accepted.
   */
  readonly onReceipt?: (report: HashHex, answer: unknown) => Promise<boolean>;
  readonly onPosted: (statement: StatementRow['statement'], answer: string) => void;
}

/** How many statements are sent at once. */
const AT_ONCE = 4;
/** Seconds until a statement is sent again, doubled up to the second number. */
const FIRST_WAIT_S = 5;
const MOST_WAIT_S = 3600;
/** Seconds until a refused statement is first sent again, doubled like the others. */
const REFUSED_WAIT_S = 60;
/** Seconds after its first refusal from which on a statement is sent once a day. */
const DAILY_S = 86_400;
/** Places in a statement whose refusal may pass in a moment: a clock, a head that is ahead. */
const PASSING: ReadonlySet<unknown> = new Set(['signed_at', 'head.size']);
/** Seconds until an abstention is sent again: the log has no place for it, and a restart forgets it. */
const ABSTENTION_AGAIN_S = 86_400;
/** An abstention that is older when the process starts is sent only while its report is open. */
const ABSTENTION_S = 7 * 86_400;
/** For how many periods of each index a report is open. */
const PERIODS = 64;
/** The values of `error` in a publisher's own refusals. A proxy in front of it gives others. */
const REFUSALS: ReadonlySet<unknown> = new Set<ProblemCode>([
  'bad_request',
  'invalid_json',
  'cross_site',
  'unknown_cosigner',
  'bad_signature',
  'refused',
  'content_too_large',
  'unsupported_media_type',
  'not_json',
  'malformed',
]);

type Answer =
  /** The log has it, or will have it. */
  | { readonly kind: 'taken'; readonly said: unknown }
  /** An abstention that was received. */
  | { readonly kind: 'noted' }
  | { readonly kind: 'refused'; readonly says: string; readonly passes: boolean }
  | { readonly kind: 'later'; readonly says: string };

interface Item {
  readonly report: HashHex;
  readonly abstains: boolean;
  readonly signedAt: number;
  until: number;
  waitS: number;
  taken: boolean;
  /** When it was first refused. */
  refusedAt: number | undefined;
}

/**
 * Sends the statements of a recounter's own log to the publisher. What still has to be sent follows from the
 * two logs: it is recorded nowhere else, and sending a statement twice does no harm.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #items = new Map<HashHex, Item>();
  readonly #semaphore = new Semaphore(AT_ONCE);
  readonly #reports: NamedReports;
  #next = -1;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#reports = new NamedReports(parts.sha256);
  }

  /** Statements that the publisher has not accepted, without those that it refused. */
  get unposted(): number {
    const { findings } = this.#parts;
    let count = 0;
    for (const { report, taken } of this.#items.values()) {
      if (!taken && !findings.has('word_refused', report)) count += 1;
    }
    return count;
  }

  /** Sends what is due. Never throws because of the publisher. */
  async poll(signal: AbortSignal): Promise<void> {
    const log = this.#parts.log();
    if (log === undefined) return;
    this.#update(log);
    const turns = turnsUntil(signal);
    await this.#settle(turns);
    const now = this.#parts.now();
    const items = [...this.#items.values()].filter(({ until }) => until <= now);
    const due = await this.#open(items, turns);
    await Promise.all(due.map((item) => this.#semaphore.run(() => this.#bring(log, item, signal))));
  }

  /** Takes the new statements of its own log. */
  #update(log: HashHex): void {
    const { own } = this.#parts;
    for (const { statement, seq } of statementsAfter(own, this.#next)) {
      this.#next = seq;
      if (statement.log !== log) continue;
      const { report } = statement;
      this.#items.set(report, {
        report,
        abstains: statement.verdict === 'abstain',
        signedAt: parseTime(statement.signed_at),
        until: 0,
        waitS: FIRST_WAIT_S / 2,
        taken: false,
        refusedAt: undefined,
      });
    }
  }

  /** Drops abstentions that nobody waits for any more, and returns the others. */
  async #open(items: readonly Item[], { pause, signal }: Turns): Promise<readonly Item[]> {
    const { now } = this.#parts;
    const isOld = ({ abstains, taken, signedAt }: Item): boolean =>
      abstains && (taken || now() - signedAt > ABSTENTION_S);
    const open: Item[] = [];
    for (const item of items) {
      if (isOld(item)) {
        await pause();
        if (signal?.aborted === true) return [];
        if (!this.#isOpen(item.report)) {
          this.#items.delete(item.report);
          continue;
        }
      }
      open.push(item);
    }
    return open;
  }

  #isOpen(report: HashHex): boolean {
    const { own, shown, log } = this.#parts;
    const id = log() as HashHex;
    const said = statementOn(own, id, report);
    const named = said && this.#reports.find(shown(), id, said.statement);
    return named !== undefined && isOpenReport(shown(), named.row, PERIODS);
  }

  /** Drops what the publisher's log holds. */
  async #settle({ pause, signal }: Turns): Promise<void> {
    const { own, shown, findings, now } = this.#parts;
    for (const { report } of this.#items.values()) {
      await pause();
      if (signal?.aborted === true) return;
      const log = this.#parts.log() as HashHex;
      const row = statementOn(own, log, report);
      if (row === undefined || !holdsStatement(shown(), row.statement)) continue;
      this.#items.delete(report);
      await findings.end('word_refused', report, formatTime(now()));
    }
  }

  async #bring(log: HashHex, item: Item, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { own, post, findings, now, onPosted, onReceipt } = this.#parts;
    const row = statementOn(own, log, item.report);
    if (row === undefined) return;
    let answer = await post(statementBytes(row), signal).then(
      (posted) => answerOf(posted, item.abstains),
      (error: unknown): Answer => ({ kind: 'later', says: messageOf(error) }),
    );
    if (answer.kind === 'taken' && (await onReceipt?.(item.report, answer.said)) === false) {
      answer = { kind: 'later', says: 'the answer proves another entry than the statement' };
    }
    if (signal.aborted) return;
    onPosted(row.statement, 'says' in answer ? `${answer.kind}: ${answer.says}` : answer.kind);
    const time = now();
    item.waitS = Math.min(item.waitS * 2, MOST_WAIT_S);
    item.until = time + item.waitS;
    switch (answer.kind) {
      case 'noted':
        item.taken = true;
        item.until = time + ABSTENTION_AGAIN_S;
        break;
      case 'taken':
        // It is in the log, or will be. If it is not shown for long, it is sent again.
        item.taken = true;
        item.until = time + MOST_WAIT_S;
        break;
      case 'refused': {
        item.refusedAt ??= time;
        if (!answer.passes) item.waitS = Math.max(item.waitS, REFUSED_WAIT_S);
        item.until = time + (time - item.refusedAt < DAILY_S ? item.waitS : DAILY_S);
        const says = `The publisher refused the statement on the report ${item.report}: ${answer.says}`;
        await findings.hold({ code: 'word_refused', about: item.report, says }, formatTime(time));
        break;
      }
      case 'later':
        break;
    }
  }
}

/** The bytes in which a statement is sent: the canonical body of its entry. */
export function statementBytes(entry: StatementEntry): Uint8Array {
  const { statement, signature, print_signature, dissent_signature } = entry;
  const body: StatementEntry = { statement, signature, print_signature, dissent_signature };
  return formatWire(body);
}

/**
 * Interprets the publisher's answer. A publisher that is busy, broken or behind is asked again later, and so is
 * a proxy that answers in its place.
 */
function answerOf({ status, body }: Posted, abstains: boolean): Answer {
  const said = readObject(body);
  if (status === 200 || status === 201) return { kind: 'taken', said };
  if (status === 202 && said['entry'] != null) return { kind: 'taken', said };
  if (status === 202 && abstains) return { kind: 'noted' };
  const words = ['error', 'at', 'expected', 'found']
    .flatMap((name) => (typeof said[name] === 'string' ? [`${name} ${said[name]}`] : []))
    .join(', ');
  const says = `status ${status}${words === '' ? '' : `, ${printable(words)}`}`.slice(0, 500);
  const isFinal = status >= 400 && status < 500 && REFUSALS.has(said['error']);
  if (!isFinal) return { kind: 'later', says };
  return { kind: 'refused', says, passes: PASSING.has(said['at']) };
}

function readObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return isObject(value as never) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function printable(text: string): string {
  return text.replaceAll(/[^ -~]/g, '?');
}
