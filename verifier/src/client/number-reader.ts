import { parseReportEntry } from '@assay/core/kind/report-entry';
import type { PeriodKind } from '@assay/core/rule/period';
import { parseTime } from '@assay/core/time/time';
import { equalBytes } from '@assay/core/bytes/bytes';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { Findings } from '../verdict/finding.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { reportIn, ruleIn } from './bundle-contents.ts';
import { gatherBundle } from './bundle-maker.ts';
import { laterEntries } from './later-entries.ts';
import { type NumberAnswer, type ProvenNumber, settlementLacks } from './number-answer.ts';
import { type ClientParts, newestHead, tilesOf } from './proven-log.ts';
import { refusal, type Refusal, refusedBy, refusedFor, staleHead } from './refusal.ts';
import { within } from './web.ts';

/** Which number is asked for. */
export interface AskedNumber {
  /** The ticker or slug. */
  readonly index: string;
  /** YYYY-MM-DD; the newest printed period where absent. */
  readonly period: string | undefined;
}

/** The verifier's verdict on a bundle that is to prove this number. */
export type CheckBundle = (bytes: Uint8Array, number: AskedNumber) => Promise<Verdict>;

/** A number, and how its rule divides time. */
interface ReadNumber {
  readonly answer: ProvenNumber;
  readonly kind: PeriodKind;
  /** The head that it was proven under. */
  readonly checkpoint: Checkpoint;
  /** The time of the newest entry, in Unix seconds; null in a log that needs not be recent. */
  readonly newest: number | null;
}

const ANOTHER_ENTRY = 'the server names another entry of the log as that of the report';
const SUPERSEDED = 'the log has a later report of the period, which the server did not show';

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

/** How often a number is read that a later report replaced: one may be published between two requests. */
const MAX_TRIES = 2;

/** Answers that are kept for as long as the head stays as it is. */
const MAX_KEPT = 1024;

/** Reads numbers from a log's server, each with its verdict. */
export class NumberReader {
  readonly #parts: ClientParts;
  readonly #check: CheckBundle;
  readonly #kept = new Map<string, ReadNumber>();

  constructor(parts: ClientParts, check: CheckBundle) {
    this.#parts = parts;
    this.#check = check;
  }

  /** The newest report of a period, or why there is none. Never throws because of what the server answers. */
  async read(index: string, period: string): Promise<NumberAnswer> {
    // Also of a caller without types: the number of no period is the newest one, which nobody asked for.
    if (!DAY.test(period)) return refusal('malformed', 'the period: expected YYYY-MM-DD');
    const read = await this.readKind({ index, period });
    return 'answer' in read ? read.answer : read;
  }

  /** The same, with the kind of its period. */
  readKind(asked: AskedNumber): Promise<ReadNumber | Refusal> {
    const { numberMs } = this.#parts;
    return within<ReadNumber | Refusal>(this.#read(asked), numberMs, () =>
      refusal('timeout', `the log server: expected what proves the number in ${numberMs} ms`),
    );
  }

  async #read(asked: AskedNumber): Promise<ReadNumber | Refusal> {
    try {
      let read = (await this.#known(asked)) ?? (await this.#proven(asked));
      for (let tries = 1; tries < MAX_TRIES; tries += 1) {
        if ('answer' in read || read.code !== 'superseded') break;
        read = await this.#proven(asked);
      }
      if ('answer' in read) this.#keep(asked, read);
      else this.#parts.files.clear();
      return read;
    } catch (error) {
      this.#parts.files.clear();
      return refusedFor(error);
    }
  }

  /** What was proven under the head that the server still has; undefined where the log has grown since. */
  async #known(asked: AskedNumber): Promise<ReadNumber | Refusal | undefined> {
    const known = this.#kept.get(nameOf(asked));
    if (known === undefined) return undefined;
    const head = await newestHead(this.#parts);
    if ('ok' in head) return head;
    const { size, root } = head.checkpoint;
    const isSame = size === known.checkpoint.size && equalBytes(root, known.checkpoint.root);
    if (!isSame) return undefined;
    return this.#isStale(known.newest) ? staleHead(this.#parts.maxAgeS) : known;
  }

  #keep(asked: AskedNumber, read: ReadNumber): void {
    const name = nameOf(asked);
    this.#kept.delete(name);
    this.#kept.set(name, read);
    if (this.#kept.size <= MAX_KEPT) return;
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }

  #isStale(newest: number | null): boolean {
    const { now, maxAgeS } = this.#parts;
    return newest !== null && newest < now() - maxAgeS;
  }

  async #proven(asked: AskedNumber): Promise<ReadNumber | Refusal> {
    const { files, head, environment, maxAgeS } = this.#parts;
    const { sha256 } = environment;
    const least = await head.size();
    const made = await gatherBundle(files, asked, sha256);
    const findings = new Findings();
    const accepted = await head.accept(made.note, least, findings);
    if (accepted === undefined) return refusedBy(findings);
    const { checkpoint } = accepted;
    const verdict = await this.#check(made.bytes, asked);
    if (verdict.outcome === 'incomplete') return refusal('incomplete', verdict.reason, verdict);
    if (verdict.outcome === 'findings') return refusedBy(findings, verdict);
    const { number: facts } = verdict;
    if (facts === null) return refusal('incomplete', 'the verdict has no number');
    // What the server said beside its proof counts for nothing: the entry of the report decides what comes after it.
    const report = reportIn(made.bytes, made.seq, facts.report_hash, sha256);
    const rule = ruleIn(made.bytes, facts.rule_hash, sha256);
    if (report === undefined || rule === undefined) return refusal('refused', ANOTHER_ENTRY);
    if (facts.index?.followed === true) return refusal('superseded', SUPERSEDED);
    const from = Math.max(facts.index?.seq ?? 0, made.seq);
    let at = 0;
    for await (const entry of laterEntries(files, tilesOf(files), from, checkpoint, sha256)) {
      at = parseTime(entry.at);
      if (entry.seq === made.seq || entry.kind !== 'report/1') continue;
      const later = parseReportEntry(entry.body, 'body').report;
      if (later.ticker === report.ticker && later.period === report.period)
        return refusal('superseded', SUPERSEDED);
    }
    const newest = verdict.log.network === 'production' ? at : null;
    if (this.#isStale(newest)) return staleHead(maxAgeS);
    const lacks = settlementLacks(facts);
    const answer: ProvenNumber = {
      ok: true,
      ticker: facts.ticker,
      period: facts.period,
      value: facts.value,
      unit: facts.unit,
      decimals: report.decimals,
      status: facts.status,
      settleable: lacks.length === 0,
      lacks,
      facts,
      verdict,
    };
    return { answer, kind: rule.period, checkpoint, newest };
  }
}

function nameOf({ index, period }: AskedNumber): string {
  return JSON.stringify([index, period]);
}
