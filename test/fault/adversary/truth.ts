import { createHash } from 'node:crypto';
import { canonicalize } from '@assay/core/wire/canonical';
import { formatPrint, printOf } from '@assay/core/report/print';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Policy } from '@assay/verifier/verdict/policy';
import type { Loose } from '../../src/verifier/fixture/forge.ts';
import { addDays, dateOf, DAY_S, secondsOf, shift } from './calendar.ts';
import { governing, type Governing } from './governing.ts';
import { RECOUNTERS } from './keys.ts';
import { lateMoments, type LateMoments } from './late.ts';
import type { Signatures } from './signatures.ts';
import type { Index } from './sources.ts';

/**
 * What is true of a log, worked out a second time from docs/spec and from what the world's sources showed. It reads entries as
 * JSON; of core it takes the bytes that are hashed and signed (canonical JSON, the print message), and no decision.
 */

/** An entry, read as JSON. */
export interface LogEntry {
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly body: Loose;
}

interface RuleVersion {
  readonly rule: Loose & { readonly applies_from: string; readonly period: string };
  readonly at: number;
  readonly seq: number;
  readonly hash: string;
}

/** A final that money could settle on, as the log has it. */
export interface Settled {
  readonly ticker: string;
  readonly period: string;
  readonly seq: number;
  readonly hash: string;
  readonly report: Loose;
}

function digest(value: unknown): string {
  return createHash('sha256').update(canonicalize(value)).digest('hex');
}

/** The time in a Bitcoin header, hex: four bytes, little endian, at 68. */
function minedAt(header: string): number {
  return Buffer.from(header, 'hex').readUInt32LE(68);
}

/** What is wrong with a number, and what has to be seen to know it. */
export interface Fault {
  readonly why: string;
  readonly shownBy: 'itself' | 'rules' | 'reports' | 'before' | 'sets';
}

export function readEntries(entries: readonly Uint8Array[]): readonly LogEntry[] {
  return entries.flatMap((bytes, seq) => {
    try {
      const { at, kind, body } = JSON.parse(Buffer.from(bytes).toString()) as Loose;
      return [{ seq, at: secondsOf(at), kind, body }];
    } catch {
      return [];
    }
  });
}

export class Truth {
  readonly #entries: readonly LogEntry[];
  readonly #blobs: ReadonlyMap<string, Uint8Array>;
  readonly #indexes: readonly Index[];
  readonly #signatures: Signatures;
  readonly #versions = new Map<string, RuleVersion[]>();
  readonly #reports: (Settled & { readonly at: number; readonly signature: string })[] = [];
  readonly #sets: {
    readonly hash: string;
    readonly body: Loose;
    readonly from: number;
    readonly seq: number;
  }[] = [];

  constructor(
    entries: readonly Uint8Array[],
    blobs: ReadonlyMap<string, Uint8Array>,
    indexes: readonly Index[],
    signatures: Signatures,
  ) {
    this.#signatures = signatures;
    this.#entries = readEntries(entries);
    this.#blobs = blobs;
    this.#indexes = indexes;
    for (const { seq, at, kind, body } of this.#entries) {
      if (kind === 'rule/1') {
        const rule = body['rule'] as RuleVersion['rule'];
        const ticker = rule['ticker'] as string;
        const all = this.#versions.get(ticker) ?? [];
        const last = all.at(-1)?.rule;
        const isNext =
          last === undefined ||
          (rule['version'] > last['version'] &&
            rule.applies_from > last.applies_from &&
            rule.period === last.period);
        // Anything else is no version.
        if (!isNext) continue;
        all.push({ rule, at, seq, hash: digest(rule) });
        this.#versions.set(ticker, all);
      } else if (kind === 'report/1') {
        const report = body['report'] as Loose;
        const { ticker, period } = report;
        const { signature } = body;
        this.#reports.push({ ticker, period, seq, at, report, hash: digest(report), signature });
      } else if (kind === 'cosigners/1') {
        // A set that may not follow changes nothing: one waits at a time, and the publisher stands in none.
        const last = this.#sets.at(-1);
        const waits = last !== undefined && at < last.from;
        const own = this.#ownKeys(seq);
        const publishers = (body['cosigners'] as Loose[]).some(({ key }) =>
          own.includes(key as string),
        );
        if (body['number'] !== this.#sets.length || waits || publishers) continue;
        const from = last === undefined ? at : at + 7 * DAY_S;
        this.#sets.push({ hash: digest(body), body, from, seq });
      }
    }
  }

  /** The claimed time of the newest entry. */
  get now(): number {
    return Math.max(...this.#entries.map(({ at }) => at));
  }

  /** The clocks of a report of a period that is published at `now`, by the entries before the one numbered `before`. */
  moments(
    { version }: Governing<RuleVersion>,
    period: string,
    now: number = this.now,
    before: number = Number.POSITIVE_INFINITY,
  ): LateMoments {
    return lateMoments(version.rule as never, period, now, {
      entries: this.#entries.filter(({ seq }) => seq < before),
      set: (hash) => this.#sets.find((each) => each.hash === hash)?.body,
      digest,
    });
  }

  /** How many periods have clocks that run from a late publication. */
  late(): number {
    const places = new Map(this.#reports.map((each) => [`${each.ticker} ${each.period}`, each]));
    return [...places.values()].filter(({ ticker, period }) => {
      const found = this.governing(ticker, period);
      return found !== undefined && this.moments(found, period).seen !== null;
    }).length;
  }

  get tickers(): readonly string[] {
    return [...this.#versions.keys()];
  }

  governing(ticker: string, period: string): Governing<RuleVersion> | undefined {
    return governing(this.#versions.get(ticker) as never, period) as
      | Governing<RuleVersion>
      | undefined;
  }

  /** The first final of each period, settleable or not. */
  finals(): readonly Settled[] {
    const found = new Map<string, Settled>();
    for (const each of this.#reports) {
      const place = `${each.ticker} ${each.period}`;
      if (each.report['status'] === 'final' && !found.has(place)) found.set(place, each);
    }
    return [...found.values()];
  }

  /** Periods that were to be printed by the end of the log, and have neither a final nor a void. */
  owed(): ReadonlyMap<string, readonly string[]> {
    const owed = new Map<string, string[]>();
    for (const [ticker, [first]] of this.#versions) {
      if (first === undefined) continue;
      const { applies_from: from, period: kind } = first.rule;
      const today = dateOf(this.now);
      for (let period = from; period <= today; period = shift(kind, period, 1)) {
        const found = this.governing(ticker, period);
        if (found === undefined || this.now < this.moments(found, period).deadline) continue;
        const over = this.#reports.some(
          (each) =>
            each.ticker === ticker &&
            each.period === period &&
            ['final', 'void'].includes(each.report['status'] as string),
        );
        if (!over) owed.set(ticker, [...(owed.get(ticker) ?? []), period]);
      }
    }
    return owed;
  }

  /** Days whose Close, and days whose index entry, is due by the end of the log and not there. */
  missingDays(): { readonly closes: readonly string[]; readonly indexes: readonly string[] } {
    const of = (kind: string): readonly string[] =>
      this.#entries.flatMap((each) =>
        each.kind === kind ? [(each.body['day'] ?? each.body['content'].day) as string] : [],
      );
    const closed = of('close/1');
    const settled = this.#reports
      .filter(({ report }) => ['final', 'void'].includes(report['status'] as string))
      .map(({ report }) => (report['published_at'] as string).slice(0, 10));
    const ruled = [...this.#versions.values()].flat().map(({ at }) => dateOf(at));
    return {
      closes: this.#daysFrom([...closed, ...settled], closed),
      indexes: this.#daysFrom(ruled, of('index/1')),
    };
  }

  /** Days from the first of `from` on that are not among `has`. A day's own may come until the next one is over. */
  #daysFrom(from: readonly string[], has: readonly string[]): readonly string[] {
    const first = from.toSorted()[0];
    const missing: string[] = [];
    if (first === undefined) return missing;
    const end = addDays(dateOf(this.now), -1);
    for (let day = first; day < end; day = addDays(day, 1))
      if (!has.includes(day)) missing.push(day);
    return missing;
  }

  /** Whether everything that is due by the end of the log is there. */
  get isComplete(): boolean {
    const { closes, indexes } = this.missingDays();
    return this.owed().size === 0 && closes.length === 0 && indexes.length === 0;
  }

  /** Periods of an index, due by the end of the log, whose release was moved while nobody could know the number. */
  moved(): ReadonlyMap<string, readonly string[]> {
    const moved = new Map<string, string[]>();
    for (const [ticker, [first]] of this.#versions) {
      if (first === undefined) continue;
      const { applies_from: from, period: kind } = first.rule;
      const today = dateOf(this.now);
      for (let period = from; period <= today; period = shift(kind, period, 1)) {
        const found = this.governing(ticker, period);
        if (found === undefined || found.earliest === found.latest) continue;
        if (found.earliest > this.now) continue;
        moved.set(ticker, [...(moved.get(ticker) ?? []), period]);
      }
    }
    return moved;
  }

  /** The co-signers that a report published at `time` has to name. */
  #required(
    time: number,
    before: number,
  ): { readonly set: string | null; readonly required: number } {
    const inForce = this.#sets.filter(({ from, seq }) => from <= time && seq < before).at(-1);
    if (inForce !== undefined) {
      return { set: inForce.hash, required: inForce.body['threshold'] as number };
    }
    const policies = this.#entries[0]?.body['policies'] as Loose;
    return { set: null, required: policies['cosigners_required'] as number };
  }

  /** Keys of a report's own set that have agreed with it: distinct, and signed. */
  agreed({ hash, report, seq }: Settled): readonly string[] {
    const { set } = report['cosigners'] as Loose;
    const members = this.#sets.find((each) => each.hash === set && each.seq < seq)?.body;
    const keys = new Set(
      ((members?.['cosigners'] ?? []) as Loose[]).map(({ key }) => key as string),
    );
    const print = formatPrint(printOf(nodeSha256, report as never));
    const first = new Set<string>();
    const agreed: string[] = [];
    for (const { kind, body } of this.#entries) {
      if (kind !== 'cosign/1' && kind !== 'dissent/1') continue;
      const { report: of, cosigner } = body['statement'] as Loose;
      if (of !== hash || first.has(cosigner)) continue;
      first.add(cosigner);
      if (kind === 'dissent/1' || !keys.has(cosigner)) continue;
      if (this.#isSigned(cosigner, print, body['print_signature'])) agreed.push(cosigner);
    }
    return agreed;
  }

  /** Operators of a policy that have agreed. */
  operators(of: Settled, policy: Policy): readonly string[] {
    const keys = this.agreed(of);
    const found = policy.cosigners.filter(({ key }) => keys.includes(key));
    return [...new Set(found.map(({ operator }) => operator))];
  }

  hasQuorum(of: Settled): boolean {
    return this.agreed(of).length >= (of.report['cosigners'] as Loose)['required'];
  }

  #isSigned(key: string, message: Uint8Array, signature: string): boolean {
    return this.#signatures.good(Buffer.from(key, 'hex'), message, Buffer.from(signature, 'hex'));
  }

  /** Keys that the publisher has shown before an entry. */
  #ownKeys(before: number): readonly string[] {
    const genesis = this.#entries[0]?.body ?? {};
    const checkpoint = Buffer.from(
      (genesis['checkpoint_vkey'] as string).split('+')[2] ?? '',
      'base64',
    );
    const shown = this.#entries.flatMap(({ seq, kind, body }) =>
      kind === 'key/1' && seq < before
        ? [body['key'] as string, body['recovery_key'] as string]
        : [],
    );
    return [genesis['report_key'] as string, checkpoint.subarray(1).toString('hex'), ...shown];
  }

  #keyAt(before: number): string {
    let key = this.#entries[0]?.body['report_key'] as string;
    for (const { seq, kind, body } of this.#entries) {
      if (kind === 'key/1' && seq < before && body['replaces'] === key) key = body['key'] as string;
    }
    return key;
  }

  /** What the kept bytes of a read show, by the rule's own steps; undefined where they show no number of the period. */
  #figure(
    rule: Loose,
    provider: Loose,
    snapshot: string | null,
    period: string,
  ): bigint | undefined {
    const manifest = this.#json(snapshot);
    const page = manifest?.['pages']?.[0];
    if (manifest === undefined || page?.status !== 200) return undefined;
    const url = (provider['request'].url as string).replace('{period}', period);
    if (manifest['provider'] !== provider['id'] || manifest['request'].url !== url)
      return undefined;
    const bytes = this.#blobs.get(page.sha256 as string);
    if (bytes === undefined) return undefined;
    if (createHash('sha256').update(bytes).digest('hex') !== page.sha256) return undefined;
    const text = Buffer.from(bytes).toString();
    const found = new RegExp(`^${period}[,=](-?[0-9]+)(?: of |$)`, 'm').exec(text)?.[1];
    if (found === undefined) return undefined;
    let value = BigInt(found) * 10n ** BigInt(rule['decimals'] as number);
    for (const step of provider['extract'] as Loose[]) {
      if (step['op'] !== 'scale') continue;
      // Half away from zero, as the rule rounds: figures are above zero.
      const twice = (2n * value * BigInt(step['mul'])) / BigInt(step['div']);
      value = (twice + 1n) / 2n;
    }
    return value;
  }

  #json(hash: string | null): Loose | undefined {
    const bytes = hash === null ? undefined : this.#blobs.get(hash);
    try {
      return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString()) as Loose);
    } catch {
      return undefined;
    }
  }

  /**
   * Why a final is not what money should settle on; undefined where it is: the first print of its period, under the version
   * that governs it, inside that version's own clocks, from the kept bytes, signed, and alone in its place.
   */
  fault({ ticker, period, seq, hash, report }: Settled): Fault | undefined {
    const fault = (why: string, shownBy: Fault['shownBy'] = 'itself'): Fault => ({ why, shownBy });
    const found = this.governing(ticker, period);
    if (found === undefined) return fault('no version governs the period', 'rules');
    const { version } = found;
    const { rule } = version;
    const named = report['rule'] as Loose;
    if (named['hash'] !== version.hash || named['version'] !== rule['version']) {
      const how = `printed by version ${named['version']}, governed by version ${rule['version']}`;
      return fault(how, 'rules');
    }
    if (version.seq > seq) return fault('its rule came after it');
    if (report['settleable'] !== (rule['rights'].settlement === 'yes')) {
      return fault('another right to settle');
    }
    const entry = this.#reports.find((each) => each.seq === seq);
    const published = secondsOf(report['published_at'] as string);
    if (entry === undefined || published > entry.at || entry.at - published > 3600) {
      return fault('not recorded when it was published');
    }
    // A block's time may be two hours off, and what names it came after it.
    const block = this.#entries.findLast((each) => each.kind === 'beacon/1' && each.seq < seq);
    if (block !== undefined && published < minedAt(block.body['header'] as string) - 7200) {
      return fault('from before a block that it was written after');
    }
    const moments = this.moments(found, period, published, seq);
    if (published < moments.frozen) return fault('final before the source was done with it');
    const print = formatPrint(printOf(nodeSha256, report as never));
    if (!this.#isSigned(this.#keyAt(seq), print, entry.signature)) {
      return fault('not signed by the key in force');
    }
    const same = this.#reports.filter((each) => each.ticker === ticker && each.period === period);
    const settling = same.filter((each) =>
      ['final', 'void'].includes(each.report['status'] as string),
    );
    if (settling.length !== 1 || settling[0]?.hash !== hash) {
      return fault('another final or void beside it', 'reports');
    }
    const expected = this.#required(published, seq);
    const cosigners = report['cosigners'] as Loose;
    if (cosigners['set'] !== expected.set || cosigners['required'] !== expected.required) {
      return fault('another set of co-signers than the one in force', 'sets');
    }
    const counted = this.#countFault(rule, report, moments, period);
    if (counted !== undefined) return fault(counted);
    const held = this.#heldFault(same, report, moments);
    return held === undefined ? undefined : fault(held, 'before');
  }

  /** The counting reads, made in time, must be a quorum of one figure: the number. */
  #countFault(
    rule: Loose,
    report: Loose,
    moments: { readonly release: number; readonly firstPrint: number },
    period: string,
  ): string | undefined {
    const figures: bigint[] = [];
    for (const [i, provider] of (rule['providers'] as Loose[]).entries()) {
      const read = (report['reads'] as Loose[])[i];
      if (read === undefined || read['provider'] !== provider['id']) return 'reads of others';
      if (provider['role'] === 'check') continue;
      const at = secondsOf(read['read_at'] as string);
      if (at < moments.release) return 'a read from before the release';
      const figure = this.#figure(rule, provider, read['snapshot'] as string | null, period);
      if (figure !== undefined && at <= moments.firstPrint) figures.push(figure);
    }
    const quorum = rule['aggregate'].quorum as number;
    if (figures.length < quorum) return `${figures.length} reads in time, of ${quorum}`;
    if (figures.some((each) => each !== figures[0])) return 'reads of different figures';
    if (`${figures[0]}` !== report['value']) return `the bytes give ${figures[0]}`;
    return undefined;
  }

  /** What was printed inside the window settles, unless something else was printed there afterwards. */
  #heldFault(
    same: readonly Settled[],
    report: Loose,
    moments: { readonly frozen: number },
  ): string | undefined {
    const inside = same.filter(
      (each) =>
        each.report['status'] === 'provisional' &&
        secondsOf(each.report['published_at'] as string) < moments.frozen,
    );
    const at = inside.findLastIndex((each) => each.report['reason'] === 'freeze_window');
    const agreed = inside[at]?.report['value'] as string | undefined;
    if (agreed === undefined || agreed === report['value']) return undefined;
    if (inside.slice(at + 1).some((each) => each.report['value'] !== agreed)) return undefined;
    return `printed as ${agreed} inside the window`;
  }

  /** Whether the sources really showed this number in time for a first print under its rule. */
  isReal({ ticker, period, report }: Settled): boolean {
    const index = this.#indexes.find((each) => each.ticker === ticker);
    const found = this.governing(ticker, period);
    const figure = index?.figures.get(period);
    if (found === undefined || figure === undefined || figure.from === null) return false;
    const scale = (found.version.rule['providers'][0].extract as Loose[]).find(
      ({ op }) => op === 'scale',
    );
    const halves = scale === undefined ? 2 : Number(scale['mul']);
    const unit = 10 ** (found.version.rule['decimals'] as number);
    const { release, firstPrint } = found.moments;
    const { late } = found.version.rule['release'] as Loose;
    const isTardy = late?.kind === 'from_publication' && figure.from > firstPrint;
    const until = isTardy ? release + (late.within_s as number) : firstPrint;
    const inTime = (from: number): boolean => from <= until;
    const values = [
      ...(inTime(figure.from) ? [figure.value] : []),
      // What a source changes after a late first print comes too late: no window that a publisher moves makes it one.
      ...(figure.revised !== null && !isTardy && inTime(figure.revised.from)
        ? [figure.revised.value]
        : []),
    ];
    return values.some(
      (value) => `${Math.floor((value * unit * halves + 1) / 2)}` === report['value'],
    );
  }

  /** Whether somebody who is honest has agreed with it. */
  hasHonest(of: Settled): boolean {
    return this.agreed(of).some((key) =>
      RECOUNTERS.some((each) => each.key === key && !each.corrupt),
    );
  }
}
