import { periodClocks, reportClocks } from '@assay/core/round/period-clocks';
import { clocksOf } from '@assay/core/rule/clocks';
import { commitmentOf } from '@assay/core/hash/commitment';
import { closeHash, closeMessage } from '@assay/core/report/close';
import {
  type DraftInput,
  draftCorrection,
  draftReport,
  saysTheSame,
} from '@assay/core/round/draft';
import { entryBody, formatEntry, scanEntry } from '@assay/core/log/entry';
import {
  contentHash,
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  ZERO_HASH_HEX,
} from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import { bodyParser } from '@assay/core/kind/kinds';
import { type KeyEntry, keyMessage } from '@assay/core/kind/key';
import { draftClose } from '@assay/core/answer/settlement';
import { dissentMessage, formatPrint, printOf } from '@assay/core/report/print';
import { readAnswer } from '@assay/core/read/reading';
import { openBefore, recount } from '@assay/core/round/recount';
import { type Read, type Report, reportHash } from '@assay/core/report/report';
import { fillRequest } from '@assay/core/rule/fill';
import { isWithheld, type Provider, type Rule, ruleHash } from '@assay/core/rule/rule';
import { formatSnapshot } from '@assay/core/read/snapshot';
import { type Statement, statementMessage } from '@assay/core/report/statement';
import { type DateText, parseDate } from '@assay/core/time/time';
import { rootOf } from '@assay/core/log/tree';
import { newestBlock } from '@assay/core/view/beacons';
import { closesOf, newestClose } from '@assay/core/view/closes';
import { reportCosigners, setByHash } from '@assay/core/view/cosigner-sets';
import { foldEntry } from '@assay/core/view/fold';
import { keyHash } from '@assay/core/view/key/keys';
import { withheldFinals } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { MemoryViews } from '@assay/core/view/state';
import { revisionRows } from '@assay/core/round/vintage';
import type { WireObject } from '@assay/core/wire/wire';
import { type LocalCheckpointSigner, checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Loose } from '../../src/verifier/fixture/forge.ts';
import { publish, type Published } from '../../src/verifier/fixture/published.ts';
import { addDays, dateOf, secondsOf, timeOf } from './calendar.ts';
import { blockAt } from './blocks.ts';
import { governing } from './governing.ts';
import { type Hand, hand, type Recounter, RECOUNTERS } from './keys.ts';
import { type Index, pageOf, shown } from './sources.ts';

export const LOG_ORIGIN = 'development/adversary';
export const LOG_SIGNER: LocalCheckpointSigner = checkpointSigner(
  nodeSha256,
  LOG_ORIGIN,
  hand('checkpoint'),
);

/** An entry as it was written, and when that really was, unix seconds. */
export interface Written {
  readonly at: number;
  readonly real: number;
  readonly kind: string;
  readonly body: Loose;
}

/** How a publisher bends one poll of the sources. Everything that is absent is honest. */
export interface Bend {
  /** The version that it prints by; the governing one where absent. */
  readonly version?: number;
  /** When it says that it read, and that it published, unix seconds. */
  readonly readAt?: number;
  readonly publishedAt?: number;
  /** The time whose answers it keeps. */
  readonly sourceTime?: number;
  /** The period whose answers it keeps, under the name of the one that is read. */
  readonly bytesOf?: string;
  /** Figures of its own invention in the kept bytes. */
  readonly invent?: number;
  /** Providers that it says could not be reached. */
  readonly unreachable?: readonly string[];
  /** Changes of the report before it is signed. */
  readonly report?: (report: Loose, publisher: Publisher) => void;
  /** A report where the rule says to wait, or after the round is over. */
  readonly force?: { readonly status: 'final' | 'void' | 'provisional'; readonly value: number };
  /** Who signs it, the key in force where absent. */
  readonly signer?: Hand;
  /** It is appended though it says nothing new. */
  readonly repeat?: boolean;
  /** Revisions that it owes are left out. */
  readonly noRevisions?: boolean;
  /** What the publisher's own recounters state, and what becomes of the others' statements. */
  readonly statements?: Statements;
  /** A correction of a final. */
  readonly correct?: boolean;
}

export interface Statements {
  /** Names of corrupt recounters that agree with whatever it is. */
  readonly bought?: readonly string[];
  /** Names whose statement is left out. */
  readonly hidden?: readonly string[];
  /** Whether each statement stands twice. */
  readonly twice?: boolean;
  /** A change of a statement, before it is signed by a corrupt recounter. */
  readonly statement?: (statement: Loose) => void;
}

/** What changes each entry as it is written: what comes instead. */
export type Hook = (entry: Written, publisher: Publisher) => readonly Written[];

const parseBody = bodyParser(nodeSha256);
const REPORT_KEYS: readonly Hand[] = ['report 0', 'report 1', 'report 2', 'report 3'].map(hand);
const RECOVERY_KEYS: readonly Hand[] = ['recovery 0', 'recovery 1', 'recovery 2'].map(hand);

/** When an index's sources first show a figure of a period with its quorum; undefined where they never do. */
function firstShown(
  { figures }: Index,
  { aggregate }: Rule,
  period: string,
  release: number,
): number | undefined {
  const figure = figures.get(period);
  if (figure === undefined || figure.from === null) return undefined;
  return Math.max(release, figure.from + (aggregate.quorum > 1 ? figure.mirrorLag : 0));
}

/** A publisher with all its keys, who writes one log. What is honest in it is what a node would write. */
export class Publisher {
  readonly views = new MemoryViews();
  readonly written: Written[] = [];
  readonly entries: Uint8Array[] = [];
  readonly leaves: Hash[] = [];
  readonly blobs = new Map<HashHex, Uint8Array>();
  readonly #hooks: readonly Hook[];
  readonly #openings = new Map<HashHex, bigint>();
  #prev: HashHex = ZERO_HASH_HEX;
  #key = 0;
  #recovery = 0;

  constructor(at: number, policies: Loose, hooks: readonly Hook[]) {
    this.#hooks = hooks;
    const promise = (of: Hand): string => keyHash(nodeSha256, of.key);
    this.append(at, at, 'genesis/1', {
      origin: LOG_ORIGIN,
      network: 'development',
      report_key: REPORT_KEYS[0]?.key,
      checkpoint_vkey: LOG_SIGNER.vkey,
      next_report_key_sha256: promise(REPORT_KEYS[1] as Hand),
      recovery_key_sha256: promise(RECOVERY_KEYS[0] as Hand),
      chain: null,
      program: null,
      policies: {
        cosigners_required: 0,
        witnesses_required: 0,
        witness_max_age_s: 0,
        ...policies,
      },
    });
  }

  get log(): HashHex {
    return hashHex(this.leaves[0] as Hash);
  }

  /** The claimed time of the newest entry. */
  get lastAt(): number {
    return this.written.at(-1)?.at ?? 0;
  }

  get signer(): Hand {
    return REPORT_KEYS[this.#key] as Hand;
  }

  publish(): Published {
    return publish(this.entries, this.blobs, LOG_SIGNER);
  }

  append(at: number, real: number, kind: string, body: Loose): void {
    let all: readonly Written[] = [{ at, real, kind, body }];
    for (const hook of this.#hooks) all = all.flatMap((each) => hook(each, this));
    for (const each of all) this.#put(each);
  }

  #put(entry: Written): void {
    const seq = this.entries.length;
    const { at, kind, body } = entry;
    const value = { v: 1 as const, seq, prev: this.#prev, at: timeOf(at) as never, kind };
    const bytes = formatEntry({ ...value, body: body as WireObject });
    const leaf = leafHash(nodeSha256, bytes);
    this.entries.push(bytes);
    this.leaves.push(leaf);
    this.written.push(entry);
    this.#prev = hashHex(leaf);
    try {
      const layout = scanEntry(bytes);
      const known = parseBody(layout.kind, entryBody(bytes, layout));
      if (known === undefined) return;
      const folded = { ...known, seq, at: layout.at, log: this.log };
      this.views.write(foldEntry(folded, this.views, nodeSha256));
    } catch {
      // An entry that nobody can read folds into nothing.
    }
  }

  /** The honest time of an entry: now, or that of the newest where the log is ahead. */
  #now(real: number): number {
    return Math.max(real, this.lastAt);
  }

  rule(real: number, rule: Rule, claim?: number): void {
    this.append(claim ?? this.#now(real), real, 'rule/1', { rule });
  }

  note(real: number, text: string): void {
    this.append(this.#now(real), real, 'note/1', { text });
  }

  /** The versions of an index in the log, as they stand there. */
  versions(
    ticker: string,
  ): readonly { readonly rule: Rule; readonly at: number; readonly real: number }[] {
    return this.written.flatMap(({ kind, body, at, real }) =>
      kind === 'rule/1' && body['rule'].ticker === ticker
        ? [{ rule: body['rule'] as Rule, at, real }]
        : [],
    );
  }

  /** What an answer of a provider would be in a snapshot, by the bytes that the publisher keeps. */
  read(
    index: Index,
    rule: Rule,
    provider: Provider,
    period: string,
    real: number,
    bend: Bend,
  ): Read {
    const about = {
      provider: provider.id,
      role: provider.role,
      retain: provider.retain,
      read_at: timeOf(bend.readAt ?? this.#now(real)) as never,
    };
    if (bend.unreachable?.includes(provider.id) === true || provider.role === 'check') {
      return { ...about, outcome: 'unreachable', value: null, snapshot: null };
    }
    let figures = shown(index, provider.id, bend.sourceTime ?? real);
    if (bend.bytesOf !== undefined) {
      figures = new Map([...figures, [period, figures.get(bend.bytesOf) ?? null]]);
    }
    if (bend.invent !== undefined) figures = new Map([...figures, [period, bend.invent]]);
    const bytes = pageOf(index, figures);
    const day = parseDate(period as never);
    const pages = [{ status: 200, bytes }];
    const { reading } = readAnswer(rule, provider, pages as never, day, null);
    const isKept = provider.retain === 'bytes';
    const digest = hashHex(contentHash(nodeSha256, bytes));
    const manifest = formatSnapshot({
      type: 'assay-snapshot/1',
      provider: provider.id,
      request: fillRequest(provider.request, day, rule),
      pages: [
        {
          status: 200,
          sha256: isKept
            ? digest
            : hashHex(contentHash(nodeSha256, Buffer.from(`salted ${digest}`))),
          length: isKept ? bytes.length : 0,
          content_type: isKept ? 'text/plain' : null,
        },
      ],
      extractor: null,
      retain: provider.retain,
    });
    const snapshot = hashHex(contentHash(nodeSha256, manifest));
    this.blobs.set(snapshot, manifest);
    if (isKept) this.blobs.set(digest, bytes);
    const value = reading.outcome === 'ok' ? reading.value.toString() : null;
    return { ...about, outcome: reading.outcome, value, snapshot };
  }

  /** The rule that a poll goes by: the one that governs its period, unless its publisher bends that too. */
  #ruleFor(index: Index, period: string, { version }: Bend): Rule | undefined {
    const versions = this.versions(index.ticker);
    if (version !== undefined) return versions.find(({ rule }) => rule.version === version)?.rule;
    return governing(versions, period)?.version.rule;
  }

  poll(index: Index, period: string, real: number, bend: Bend = {}): void {
    const rule = this.#ruleFor(index, period, bend);
    if (rule === undefined) return;
    const at = this.#now(real);
    const publishedAt = bend.publishedAt ?? at;
    const reads = rule.providers.map((provider) =>
      this.read(index, rule, provider, period, real, bend),
    );
    const salt = contentHash(
      nodeSha256,
      Buffer.from(`${index.ticker} ${period} ${this.entries.length}`),
    );
    const { split, window } = rule.baseline;
    const finals = isWithheld(rule)
      ? withheldFinals(this.views, rule.ticker, period as never, split, window)
      : [];
    const input: DraftInput = {
      log: this.log,
      rule,
      ruleHash: ruleHash(nodeSha256, rule),
      period: parseDate(period as never),
      clocks: periodClocks(
        this.views,
        { rule, hash: ruleHash(nodeSha256, rule) },
        parseDate(period as never),
        publishedAt,
      ),
      reads,
      publishedAt,
      cosigners: reportCosigners(this.views, publishedAt),
      after: newestBlock(this.views),
      withheld: isWithheld(rule)
        ? {
            kind: 'open',
            commit: (value) => {
              const commitment = commitmentOf(nodeSha256, salt, value);
              this.#openings.set(commitment, value);
              return commitment;
            },
            history: finals.map((each) => this.#openings.get(each) ?? 0n),
          }
        : null,
    };
    const before = reportsOf(this.views, rule.ticker, period as never);
    const draft =
      bend.correct === true ? draftCorrection(input, this.views) : draftReport(input, this.views);
    let report: Report | undefined;
    if (bend.force !== undefined) {
      report = forced(input, reads, bend.force, before.at(-1)?.hash ?? null, before.length);
    } else if (draft.kind === 'report') {
      const last = before.at(-1)?.report;
      const isNews = last === undefined || bend.repeat === true || !saysTheSame(last, draft.report);
      if (isNews) report = draft.report;
    }
    if (report !== undefined) this.#print(report, real, at, bend);
    if (bend.noRevisions !== true) this.#revisions(rule, period, reads, real, at);
    if (report !== undefined) this.#statements(index, rule, report, real, bend.statements ?? {});
  }

  #print(report: Report, real: number, at: number, bend: Bend): void {
    bend.report?.(report as unknown as Loose, this);
    const print = formatPrint(printOf(nodeSha256, report));
    const signature = (bend.signer ?? this.signer).hex(print);
    const entryAt = Math.max(this.lastAt, Math.min(at, secondsOf(report.published_at) + 3600));
    this.append(entryAt, real, 'report/1', { report: report as unknown as Loose, signature });
  }

  #revisions(rule: Rule, period: string, reads: readonly Read[], real: number, at: number): void {
    const { provider: id } = rule.revision;
    const provider = rule.providers.find((each) => each.id === id);
    const read = reads.find((each) => each.provider === id);
    if (provider === undefined || read === undefined || read.snapshot === null) return;
    const bytes = this.#pageOf(read.snapshot);
    if (bytes === undefined) return;
    const day = parseDate(period as never);
    const pages = [{ status: 200, bytes }];
    const { series } = readAnswer(rule, provider, pages as never, day, null);
    if (series === undefined) return;
    const rows = revisionRows(series, rule, this.views, secondsOf(read.read_at));
    if (rows.length === 0) return;
    this.append(Math.max(this.lastAt, at), real, 'revision/1', {
      ticker: rule.ticker,
      rule: ruleHash(nodeSha256, rule),
      provider: provider.id,
      snapshot: read.snapshot,
      retain: provider.retain,
      read_at: read.read_at,
      read_for: period,
      rows: rows as unknown as Loose,
    });
  }

  #pageOf(snapshot: HashHex): Uint8Array | undefined {
    const manifest = JSON.parse(Buffer.from(this.blobs.get(snapshot) ?? '{}').toString()) as Loose;
    return this.blobs.get(manifest['pages']?.[0]?.sha256 as HashHex);
  }

  /** What the members of a report's set state of it, a little later: the honest what they read, the others what they are asked for. */
  #statements(
    index: Index,
    rule: Rule,
    report: Report,
    real: number,
    statements: Statements,
  ): void {
    const { set } = report.cosigners;
    const members = set === null ? [] : (setByHash(this.views, set)?.cosigners ?? []);
    const hash = reportHash(nodeSha256, report);
    const seq = this.written.findLastIndex(
      ({ kind, body }) =>
        kind === 'report/1' && reportHash(nodeSha256, body['report'] as Report) === hash,
    );
    if (seq === -1 || report.withheld) return;
    for (const { key } of members) {
      const who = RECOUNTERS.find((each) => each.key === key);
      if (who === undefined || statements.hidden?.includes(who.name) === true) continue;
      const isBought = who.corrupt && statements.bought?.includes(who.name) === true;
      const own = isBought
        ? { agrees: true, value: report.value, status: report.status, reads: report.reads }
        : this.#ownCount(index, rule, report, real);
      if (own === undefined) continue;
      const times = statements.twice === true ? 2 : 1;
      for (let i = 0; i < times; i += 1) {
        this.state(who, seq, own, real, isBought ? statements.statement : undefined);
      }
    }
  }

  /** What an honest recounter finds; undefined where it says nothing. It goes by its own clock, and by when it saw each rule. */
  #ownCount(index: Index, rule: Rule, report: Report, real: number): OwnCount | undefined {
    const versions = this.versions(index.ticker);
    const seen = versions.map(({ rule: each, real: at }) => ({ rule: each, at }));
    const found = governing(seen, report.period);
    // It speaks of no report under another version than the one that governs, nor of one that claims another time.
    if (found === undefined || found.version.rule !== rule) return undefined;
    if (Math.abs(secondsOf(report.published_at) - real) > 100) return undefined;
    const honest = (time: number): readonly Read[] =>
      rule.providers.map((provider) =>
        this.read(index, rule, provider, report.period, time, { readAt: time }),
      );
    const row = reportsOf(this.views, rule.ticker, report.period).findLast(
      (each) => each.hash === reportHash(nodeSha256, report),
    );
    const version = { rule, hash: report.rule.hash };
    const clocks =
      row === undefined
        ? clocksOf(rule, parseDate(report.period))
        : reportClocks(this.views, version, row);
    const { frozen } = found.moments;
    const first = firstShown(index, rule, report.period, found.moments.release);
    const isFirst = first !== undefined && first <= Math.min(real, clocks.firstPrint);
    const isLate = clocks.seen !== null || clocks.frozen === Number.POSITIVE_INFINITY;
    // It read inside the window, as its scheduler has it, and what it saw there is the first print. Of a late number that is
    // what it saw first, whatever the log says of when that was.
    const inside = Math.min(real, Math.max(frozen - 1, found.moments.release));
    const times = isLate ? [isFirst ? first : real] : [real, inside];
    for (const time of times) {
      const reads = honest(time);
      const own = recount({ rule, clocks, report, reads, open: openBefore(report) });
      if (own === undefined || !own.quorate) continue;
      const agrees = own.status === report.status && own.value === report.value;
      if (agrees) return { agrees, value: own.value, status: own.status, reads };
      const isWaiting = report.status === 'provisional' || report.status === 'void';
      if (isWaiting && !(isLate && isFirst)) continue;
      return { agrees: false, value: own.value, status: own.status, reads };
    }
    return undefined;
  }

  /** Appends a statement of a recounter on the report of an entry. */
  state(
    who: Recounter | Hand,
    seq: number,
    own: OwnCount,
    real: number,
    change: (statement: Loose) => void = () => undefined,
  ): void {
    const report = this.written[seq]?.body['report'] as Report;
    const print = printOf(nodeSha256, report);
    const at = Math.max(this.lastAt, real + 20);
    const statement: Loose = {
      type: 'assay-statement/1',
      log: this.log,
      report: reportHash(nodeSha256, report),
      print: formatHex(formatPrint(print)),
      entry: { seq, leaf: hashHex(this.leaves[seq] as Hash) },
      head: { size: this.entries.length, root: hashHex(rootOf(nodeSha256, this.leaves)) },
      cosigner: who.key,
      set: report.cosigners.set ?? ZERO_HASH_HEX,
      verdict: own.agrees ? 'agree' : 'dissent',
      basis: 'own_read',
      kept: null,
      own: { value: own.value, status: own.status, reads: own.reads as unknown as Loose },
      reason: own.agrees ? null : 'another_value',
      after: null,
      signed_at: timeOf(at),
    };
    change(statement);
    const signature = who.hex(statementMessage(statement as unknown as Statement));
    const body = own.agrees
      ? { statement, signature, print_signature: who.hex(formatPrint(print)) }
      : { statement, signature, dissent_signature: who.hex(dissentMessage(print)) };
    this.append(at, real, own.agrees ? 'cosign/1' : 'dissent/1', body);
  }

  set(real: number, names: readonly string[], threshold: number, claim?: number): void {
    const number = this.written.filter(({ kind }) => kind === 'cosigners/1').length;
    const cosigners = names
      .map((name) => RECOUNTERS.find((each) => each.name === name) ?? hand(name))
      .map(({ name, key }) => ({ name, key }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    this.append(claim ?? this.#now(real), real, 'cosigners/1', { number, threshold, cosigners });
  }

  /** Hands over to the next report key, as was promised. */
  rotate(real: number, cause: 'rotation' | 'recovery', change: Loose = {}): void {
    const next = REPORT_KEYS[this.#key + 1];
    const after = hand(`report ${this.#key + 2}`);
    if (next === undefined) return;
    const recovers = cause === 'recovery';
    const recovery = RECOVERY_KEYS[this.#recovery] as Hand;
    const nextRecovery = recovers ? hand(`recovery ${this.#recovery + 1}`) : recovery;
    const entry: Omit<KeyEntry, 'signatures'> = {
      number: this.#key + 1,
      cause,
      replaces: this.signer.key,
      revoked: recovers,
      key: next.key,
      next_key_sha256: keyHash(nodeSha256, after.key),
      recovery_key: recovers ? recovery.key : null,
      next_recovery_key_sha256: keyHash(nodeSha256, nextRecovery.key),
      ...change,
    };
    const message = keyMessage(this.log, entry);
    const signatures = {
      old: recovers ? null : this.signer.hex(message),
      new: next.hex(message),
      recovery: recovers ? recovery.hex(message) : null,
    };
    this.append(this.#now(real), real, 'key/1', { ...entry, signatures });
    this.#key += 1;
    if (recovers) this.#recovery += 1;
  }

  /** The newest block that there was `age` seconds ago. */
  beacon(real: number, age = 0): void {
    const block = blockAt(real - age);
    const body = { height: block.height, header: formatHex(block.header) };
    this.append(this.#now(real), real, 'beacon/1', body);
  }

  /** The Close of the day before. */
  close(real: number, change: (content: Loose) => void = () => undefined): void {
    const at = this.#now(real);
    const day = addDays(dateOf(at), -1) as DateText;
    const newest = newestClose(this.views);
    if (newest !== undefined && newest >= day) return;
    const draft = draftClose(this.views, nodeSha256, day, closesOf(this.views, day).at(-1));
    if (draft === undefined) return;
    const { content, version, supersedes } = structuredClone(draft);
    change(content as unknown as Loose);
    const message = closeMessage(this.log, day, closeHash(nodeSha256, content));
    const signature = this.signer.hex(message);
    this.append(at, real, 'close/1', { content, version, supersedes, signature });
  }

  /** The index entry of the day before. */
  index(real: number, change: (body: Loose) => void = () => undefined): void {
    const at = this.#now(real);
    const size = this.entries.length;
    const body: Loose = {
      day: addDays(dateOf(at), -1),
      size,
      ...recomputeIndex(this.views, nodeSha256, size),
    };
    change(body);
    this.append(at, real, 'index/1', body);
  }
}

/** What somebody's own reads came to. */
export interface OwnCount {
  readonly agrees: boolean;
  readonly value: string | null;
  readonly status: string;
  readonly reads: readonly Read[];
}

/** A report that no rule makes. */
function forced(
  { log, rule, ruleHash: hash, period, publishedAt, cosigners, after }: DraftInput,
  reads: readonly Read[],
  { status, value }: NonNullable<Bend['force']>,
  supersedes: HashHex | null,
  issue: number,
): Report {
  const isVoid = status === 'void';
  const report = {
    type: 'assay-report/1',
    log,
    ticker: rule.ticker,
    rule: { hash, version: rule.version },
    period: dateOf(period * 86_400),
    issue: status === 'provisional' ? issue : 0,
    status,
    reason: status === 'final' ? null : isVoid ? 'late' : 'freeze_window',
    value: isVoid ? null : `${value}`,
    decimals: rule.decimals,
    withheld: false,
    commitment: null,
    settleable: status === 'final' && rule.rights.settlement === 'yes',
    grade: rule.grade,
    z: null,
    band: null,
    dispersion: isVoid ? null : '0',
    reads,
    cosigners,
    supersedes,
    after,
    published_at: timeOf(publishedAt),
  };
  return report as unknown as Report;
}
