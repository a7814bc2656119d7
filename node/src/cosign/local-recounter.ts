import { equalBytes } from '@assay/core/bytes/bytes';
import { SALT_BYTES } from '@assay/core/hash/commitment';
import { setHash } from '@assay/core/report/cosigner-set';
import { Fault, faultCode } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { MAX_READ_BYTES } from '@assay/core/limits';
import type { NoteKey } from '@assay/core/log/note';
import {
  dissentMessage,
  formatPrint,
  parsePrint,
  PRINT_BYTES,
  printOf,
} from '@assay/core/report/print';
import {
  agrees,
  compareRecount,
  recount,
  recountUntil,
  restsInside,
} from '@assay/core/round/recount';
import { type Read, type Report, reportHash } from '@assay/core/report/report';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import {
  type OwnRecount,
  type Recounted,
  type Statement,
  statementMessage,
} from '@assay/core/report/statement';
import { formatTime, parseDate, parseTime } from '@assay/core/time/time';
import type { ReportRow } from '@assay/core/view/reports';
import { formatWire } from '@assay/core/wire/wire';
import { withDeadline } from '../platform/deadline.ts';
import type { Clock } from '../platform/clock.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import { nodeVerifySignature } from '../platform/node-signature.ts';
import { readProviders } from '../round/snapshot-reader.ts';
import type { Source } from '../source/source.ts';
import type { Asked, Cosigner, CosignerStatement } from './cosigner.ts';
import { keptReads } from './kept-reads.ts';
import { requirePublished } from './published-entry.ts';
import { requireReport } from './report-demands.ts';
import { type LocalRead, refutingReads } from './refuting-reads.ts';
import type { SignedPrints } from './signed-prints.ts';

/** Reads of its own that a co-signer keeps, whether or not anybody had published then. */
export interface LocalReads {
  /** Those of a period under a rule, oldest first: each of all providers, asked at one time. */
  readonly of: (rule: Rule, hash: HashHex, period: number) => Promise<readonly (readonly Read[])[]>;
  /** Asks all providers now, and keeps what they say. */
  readonly read: (
    rule: Rule,
    hash: HashHex,
    period: number,
    signal?: AbortSignal,
  ) => Promise<readonly Read[]>;
}

export interface LocalRecounterParts {
  /** The one key of its statements, prints and dissents. */
  readonly signer: Signer;
  /** Its own way to the sources. */
  readonly source: Source;
  readonly now: Clock;
  readonly memory: SignedPrints;
  /** The bytes that the publisher keeps, under a hash that entry `seq` names; undefined if there are none. */
  readonly kept: (hash: HashHex, seq: number) => Promise<Uint8Array | undefined>;
  /** The publisher's report key, hex; where keys follow one another, the one of an entry of its log. */
  readonly publisher: string | ((seq: number) => string | undefined);
  /** The log's checkpoint key that signs a head of `size`. */
  readonly checkpointKey: (size: number) => NoteKey;
  readonly sha256: Sha256;
  readonly random: (length: number) => Uint8Array;
  /** Milliseconds of real time for all of `kept` under one report. */
  readonly keptMs?: number;
  /** Bytes of `kept` under one report after which nothing more is asked for. */
  readonly keptBytes?: number;
  /** What it reads on the calendar; without, it reads when it is asked, and keeps nothing. */
  readonly reads?: LocalReads;
}

/** What a report is to a co-signer. */
interface Judgement {
  readonly verdict: Statement['verdict'];
  readonly basis: Statement['basis'];
  readonly kept: Recounted | null;
  readonly own: OwnRecount | null;
  /** `value`, `status`, `kept`; and of an abstention `withheld`, `unread`, `no_quorum`, `status`, `late`. */
  readonly reason: string | null;
}

/**
 * A co-signer with a key, sources, a clock and a memory of its own. It reads every source of the rule
 * itself, runs the rule on what the publisher kept, and says what it found: it agrees only with what
 * its own read gives. What it read inside the freeze window is what it holds a final to that rests on
 * reads from inside it (ADR 8): a source that revises its figure later changes nothing.
 */
export class LocalRecounter implements Cosigner {
  readonly key: string;
  readonly #parts: LocalRecounterParts;
  readonly #rules = new WeakSet<Rule>();

  constructor(parts: LocalRecounterParts) {
    this.#parts = parts;
    this.key = formatHex(parts.signer.publicKey);
  }

  readonly recount = async (
    asked: Asked,
    signal?: AbortSignal,
  ): Promise<CosignerStatement | undefined> => {
    this.#require(asked);
    const { memory, now } = this.#parts;
    const { hash, report } = asked.report;
    // Its word stands: what the sources say now is no matter.
    const said = await memory.said(hash);
    if (said !== undefined) return this.#word(said);
    const judgement = report.withheld
      ? abstention('withheld', null, null)
      : await this.#judge(asked, signal);
    if (judgement === undefined) return undefined;
    const before = [
      report.published_at,
      ...(judgement.own?.reads ?? []).map((read) => read.read_at),
    ];
    const statement: Statement = {
      type: 'assay-statement/1',
      log: asked.log,
      report: hash,
      print: formatHex(formatPrint(printOf(this.#parts.sha256, report))),
      entry: asked.entry,
      head: asked.head,
      cosigner: this.key,
      set: asked.set.hash,
      ...judgement,
      after: asked.after,
      // Its clock may have been set back since: nothing is signed before what it is of.
      signed_at: formatTime(Math.max(now(), ...before.map((time) => parseTime(time)))),
    };
    await memory.write(statement);
    return this.#word(statement);
  };

  /** Its word on a report once more; undefined where it has said nothing of it. */
  readonly again = async (report: HashHex): Promise<CosignerStatement | undefined> => {
    const said = await this.#parts.memory.said(report);
    return said === undefined ? undefined : this.#word(said);
  };

  /**
   * The value that its own reads give where a void or a final goes against what it read in time for a first print;
   * undefined where it does not. Nothing is asked of anybody, and nothing signed.
   */
  readonly refuted = async (
    of: Pick<Asked, 'report' | 'rule' | 'clocks' | 'before'>,
  ): Promise<string | undefined> => {
    const value = (await this.#refuting(of))?.recount?.value;
    return value == null || value === of.report.report.value ? undefined : value;
  };

  /** Throws `refused` for anything that it will not put its name to or against. */
  #require(asked: Asked): void {
    const { sha256, checkpointKey, now } = this.#parts;
    const given = this.#parts.publisher;
    const publisher = typeof given === 'string' ? given : (given(asked.report.seq) ?? '');
    const { report, hash, signature } = asked.report;
    const { rule } = asked.rule;
    const refuse = (at: string, expected: string, found: string): Fault =>
      new Fault('refused', 'co-signer', { at, expected, found });
    if (reportHash(sha256, report) !== hash) throw refuse('report', 'the hash of the report', hash);
    if (!this.#rules.has(rule)) {
      const own = ruleHash(sha256, rule);
      if (own !== asked.rule.hash) throw refuse('rule', own, asked.rule.hash);
      this.#rules.add(rule);
    }
    if (report.rule.hash !== asked.rule.hash) {
      throw refuse('report.rule', asked.rule.hash, report.rule.hash);
    }
    if (report.log !== asked.log) throw refuse('report.log', asked.log, report.log);
    const { set } = asked;
    const { number, threshold, cosigners } = set;
    const own = setHash(sha256, { number, threshold, cosigners });
    if (own !== set.hash) throw refuse('set.hash', own, set.hash);
    if (report.cosigners.set !== set.hash) {
      throw refuse('report.cosigners', set.hash, `${report.cosigners.set}`);
    }
    if (!set.cosigners.some(({ key }) => key === this.key)) {
      throw refuse('set', `a set with ${this.key}`, set.hash);
    }
    requireReport(report, rule, asked.before);
    if (parseTime(report.published_at) > now() + MAX_AHEAD_S) {
      throw refuse('report.published_at', `at most ${formatTime(now())}`, report.published_at);
    }
    const print = formatPrint(printOf(sha256, report));
    if (publisher === '') throw refuse('signature', 'a report key of the log', 'none');
    if (!nodeVerifySignature(parseHex(publisher, 32), print, parseHex(signature, 64))) {
      throw refuse('signature', `one of ${publisher} over the print`, signature);
    }
    requirePublished(asked, checkpointKey(asked.head.size), sha256);
  }

  async #judge(asked: Asked, signal?: AbortSignal): Promise<Judgement | undefined> {
    const { report } = asked.report;
    const { clocks } = asked;
    const { rule } = asked.rule;
    const open = asked.before.at(-1)?.report.reason ?? null;
    const own =
      (await this.#firstSeen(asked)) ??
      (clocks.seen === null ? undefined : await this.#refuting(asked)) ??
      (report.status === 'void' ? undefined : await this.#inside(asked)) ??
      (await this.#refuting(asked)) ??
      (await this.#read(asked, signal));
    const kept = await this.#kept(asked, own.reads, signal);
    signal?.throwIfAborted();
    const ofKept = kept && recount({ rule, clocks, report, reads: kept, open });
    const comparison = compareRecount(report, own.recount);
    const found = {
      kept: ofKept === undefined ? null : recounted(ofKept),
      own: own.recount === undefined ? null : { ...recounted(own.recount), reads: own.reads },
    };
    // The same bytes give the same under the same rule, whoever runs it.
    if (ofKept !== undefined && !agrees(report, ofKept)) {
      return { verdict: 'dissent', basis: 'retained_bytes', ...found, reason: 'kept' };
    }
    // That nothing came back from anywhere supports no report.
    const heard = own.reads.some(({ snapshot }) => snapshot !== null);
    if (comparison === 'agrees' && heard) {
      return { verdict: 'agree', basis: 'own_read', ...found, reason: null };
    }
    if (comparison === 'differs' && own.contradicts) {
      const reason = own.recount?.value === report.value ? 'status' : 'value';
      return { verdict: 'dissent', basis: 'own_read', ...found, reason };
    }
    if (this.#parts.now() <= recountUntil({ rule, clocks, report })) return undefined;
    return abstention(silence(own, report), found.kept, found.own);
  }

  /**
   * Of a late number that no quorum has seen yet the first of its kept reads that show one with its quorum: the statement says
   * by it when it was published, and what it was, whatever the publisher has printed since.
   */
  async #firstSeen({
    report: { report },
    rule,
    clocks,
    before,
  }: Asked): Promise<LocalRead | undefined> {
    if (clocks.frozen !== Number.POSITIVE_INFINITY || report.status !== 'provisional')
      return undefined;
    const sets = [
      ...((await this.#parts.reads?.of(rule.rule, rule.hash, parseDate(report.period))) ?? []),
    ];
    for (const row of before) {
      const said = (await this.#parts.memory.said(row.hash))?.own?.reads;
      if (said !== undefined && row.report.rule.hash === rule.hash) sets.push(said);
    }
    const seen = sets
      .map((reads) => ({
        reads,
        last:
          reads
            .map((read) => read.read_at)
            .toSorted()
            .at(-1) ?? '',
      }))
      .toSorted((a, b) => (a.last < b.last ? -1 : a.last > b.last ? 1 : 0));
    for (const { reads } of seen) {
      const found = recount({ rule: rule.rule, clocks, report, reads, open: null });
      if (found?.quorate === true && found.value !== null) {
        return { reads, recount: found, contradicts: true };
      }
    }
    return undefined;
  }

  /** What it read inside the freeze window, of a report that rests on what its publisher read there. */
  async #inside({
    report: { report },
    rule: { rule },
    clocks,
    before,
  }: Asked): Promise<LocalRead | undefined> {
    if (!restsInside(clocks, report)) return undefined;
    const { frozen } = clocks;
    const open = before.at(-1)?.report.reason ?? null;
    for (const row of [...before].reverse()) {
      const reads = (await this.#parts.memory.said(row.hash))?.own?.reads;
      if (reads === undefined || reads.some(({ read_at: at }) => parseTime(at) >= frozen)) continue;
      const own = recount({ rule, clocks, report, reads, open });
      // Its read for another print than the one that has become final can support it, no more.
      const contradicts = sameReads(row.report.reads, report.reads);
      const comparison = compareRecount(report, own);
      if (comparison === 'agrees' || (contradicts && comparison === 'differs')) {
        return { reads, recount: own, contradicts };
      }
    }
    return undefined;
  }

  /** What it read in time for a first print, and the report goes against. */
  async #refuting({
    report: { report },
    rule: { rule, hash },
    clocks,
    before,
  }: Pick<Asked, 'report' | 'rule' | 'clocks' | 'before'>): Promise<LocalRead | undefined> {
    const { reads: own, memory } = this.#parts;
    const sets = [...((await own?.of(rule, hash, parseDate(report.period))) ?? [])];
    for (const row of before) {
      const said = (await memory.said(row.hash))?.own?.reads;
      if (said !== undefined && row.report.rule.hash === hash) sets.push(said);
    }
    return refutingReads(sets, {
      rule,
      clocks,
      report,
      open: before.at(-1)?.report.reason ?? null,
    });
  }

  /** What it read around the time of the publisher's reads, or else reads now. */
  async #read(asked: Asked, signal?: AbortSignal): Promise<LocalRead> {
    const { report } = asked.report;
    const kept = await this.#around(asked);
    const isFor = (own: LocalRead): boolean => compareRecount(report, own.recount) === 'agrees';
    const agreeing = kept.find(isFor);
    if (agreeing !== undefined) return agreeing;
    const against = kept.find(
      (own) => own.contradicts && compareRecount(report, own.recount) === 'differs',
    );
    const { clocks } = asked;
    const isOver = this.#parts.now() >= clocks.frozen;
    // What it saw inside the window is not made good by what a source shows after it.
    if (against !== undefined && isOver && restsInside(clocks, report)) return against;
    const fresh = await this.#fresh(asked, signal);
    if (isFor(fresh)) return fresh;
    return against ?? fresh;
  }

  /**
   * The last of its kept reads before the publisher's, and the first after them: what a source showed in between is
   * one or the other. Those before say nothing against a report, for the source may have changed since. Of a report
   * that rests on the freeze window those of after it do not count.
   */
  async #around({
    report: { report },
    rule: { rule, hash },
    clocks,
    before,
  }: Asked): Promise<readonly LocalRead[]> {
    const { reads: own } = this.#parts;
    if (own === undefined) return [];
    const period = parseDate(report.period);
    const open = before.at(-1)?.report.reason ?? null;
    const frozen = restsInside(clocks, report) ? clocks.frozen : Infinity;
    const last = report.reads.map(({ read_at: at }) => at).reduce((a, b) => (a > b ? a : b), '');
    let earlier: LocalRead | undefined;
    for (const reads of await own.of(rule, hash, period)) {
      const isHeard = reads.some(({ snapshot }) => snapshot !== null);
      if (!isHeard || reads.some(({ read_at: at }) => parseTime(at) >= frozen)) continue;
      const contradicts = reads.every(({ read_at: at }) => at >= last);
      const found = recount({ rule, clocks, report, reads, open });
      if (found === undefined) continue;
      const read: LocalRead = { reads, recount: found, contradicts };
      if (contradicts) return earlier === undefined ? [read] : [read, earlier];
      earlier = read;
    }
    return earlier === undefined ? [] : [earlier];
  }

  async #fresh(asked: Asked, signal?: AbortSignal): Promise<LocalRead> {
    const { report } = asked.report;
    const { clocks } = asked;
    const { rule } = asked.rule;
    const reads = await this.#ask(asked, signal);
    const open = asked.before.at(-1)?.report.reason ?? null;
    const { frozen } = clocks;
    const inside = reads.every(({ read_at: at }) => parseTime(at) < frozen);
    return {
      reads,
      recount: recount({ rule, clocks, report, reads, open }),
      contradicts: inside || !restsInside(clocks, report),
    };
  }

  async #ask(
    { report: { report }, rule: { rule, hash } }: Asked,
    signal?: AbortSignal,
  ): Promise<readonly Read[]> {
    const { source, sha256, now, random, reads } = this.#parts;
    const period = parseDate(report.period);
    if (reads !== undefined) return reads.read(rule, hash, period, signal);
    const all = await readProviders(rule, period, {
      source,
      sha256,
      now,
      salt: random(SALT_BYTES),
      ...(signal === undefined ? {} : { signal }),
    });
    return all.map(({ read }) => read);
  }

  /** Undefined as well where the publisher is too slow to give all of its bytes: nobody waits for them forever. */
  async #kept(
    { report: { report, seq }, rule: { rule } }: Asked,
    own: readonly Read[],
    stop?: AbortSignal,
  ): Promise<readonly Read[] | undefined> {
    const { kept, sha256, keptMs = KEPT_MS, keptBytes = KEPT_BYTES } = this.#parts;
    let room = keptBytes;
    const ask = async (hash: HashHex): Promise<Uint8Array | undefined> => {
      if (room <= 0) return undefined;
      const bytes = await kept(hash, seq);
      room -= bytes?.length ?? 0;
      return bytes;
    };
    const asking = (signal: AbortSignal): Promise<readonly Read[] | undefined> =>
      keptReads(rule, report, {
        kept: (hash) => (signal.aborted ? Promise.resolve(undefined) : ask(hash)),
        sha256,
        own,
        signal,
      });
    try {
      return await withDeadline(keptMs, 'publisher', asking, stop);
    } catch (error) {
      const code = faultCode(error);
      if (code === 'timeout' || code === 'unreachable') return undefined;
      throw error;
    }
  }

  /** Signs what is written already: the same word each time (RFC 8032 signatures are deterministic). */
  #word(statement: Statement): CosignerStatement {
    const sign = (message: Uint8Array): string => formatHex(this.#parts.signer.sign(message));
    const signature = sign(statementMessage(statement));
    const print = parseHex(statement.print, PRINT_BYTES);
    switch (statement.verdict) {
      case 'agree':
        return { kind: 'agree', body: { statement, signature, print_signature: sign(print) } };
      case 'dissent': {
        const dissent_signature = sign(dissentMessage(parsePrint(print)));
        return { kind: 'dissent', body: { statement, signature, dissent_signature } };
      }
      case 'abstain':
        return { kind: 'abstain', statement, signature };
    }
  }
}

/** For the most that a report may rest on, 64 MB of each source, over a good line; small ones take no second. */
const KEPT_MS = 300_000;
/** Four sources of the most bytes. */
const KEPT_BYTES = 4 * MAX_READ_BYTES;

/** Seconds that a publisher's clock may be ahead of its own. */
export const MAX_AHEAD_S = 120;

function abstention(reason: string, kept: Recounted | null, own: OwnRecount | null): Judgement {
  return { verdict: 'abstain', basis: 'own_read', kept, own, reason };
}

/** Why it has nothing to say when no read can count any more. */
function silence({ reads, recount: own, contradicts }: LocalRead, report: Report): string {
  // A read with a value that gives nothing came after the time for first prints.
  if (own === undefined) return reads.some(({ outcome }) => outcome === 'ok') ? 'late' : 'unread';
  if (!own.quorate) return 'no_quorum';
  const isLate = !contradicts && own.value !== report.value && report.status !== 'void';
  return isLate ? 'late' : 'status';
}

function recounted({ status, value }: Recounted): Recounted {
  return { status, value };
}

function sameReads(a: readonly Read[], b: ReportRow['report']['reads']): boolean {
  const bytes = (reads: readonly Read[]): Uint8Array => formatWire(reads);
  return equalBytes(bytes(a), bytes(b));
}
