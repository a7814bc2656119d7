import { formatBase64 } from '@assay/core/bytes/base64';
import { messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { cosignerSets } from '@assay/core/view/cosigner-sets';
import { keysOf } from '@assay/core/view/key/keys';
import type { ViewState } from '@assay/core/view/view';
import { type OpenCheckpoint, openCheckpoint } from '../trust/checkpoint-check.ts';
import { crossCheck } from './cross-check.ts';
import type { Environment } from '../verdict/environment.ts';
import { type Finding, Findings } from '../verdict/finding.ts';
import { gapsOf, listed as listedDays, nameGaps, unindexedDays } from '../check/gaps.ts';
import { nameMovedReleases } from '../check/moved-releases.ts';
import type { Head } from './head-compare.ts';
import type { Limits } from '../verdict/limits.ts';
import type { Answer, LogReader } from '../reader/log-reader.ts';
import { type Pin, type Policy, requirePolicy } from '../verdict/policy.ts';
import { NamedHeads } from './named-heads.ts';
import type { PublisherLog } from './publisher-log.ts';
import { PublisherPrints } from './publisher-prints.ts';
import { publisherSilence, type SilenceTerms } from './publisher-silence.ts';
import { choosePin, PolicyScope } from '../trust/policy-scope.ts';
import { openSession } from '../subject/session.ts';
import { type KeptAddress, type Owed, Vantage } from './vantage.ts';
import { type NotChecked, NotCheckedList } from '../verdict/verdict.ts';
import { type WatchCode, type WatchFinding, watchFinding } from './watch-finding.ts';
import { isMissing, WatchedLog } from './watched-log.ts';

/** A checkpoint that an earlier watch accepted, and the pin that belongs to it. */
export interface KeptHead {
  readonly pin: Pin;
  /** Somebody named the key or the log; it was not pinned at first use. */
  readonly named: boolean;
  readonly note: Uint8Array;
}

export interface WatchParts {
  readonly urls: readonly string[];
  readonly readerOf: (url: string) => LogReader;
  /**
   * Applies to the log that its keys or its id name and to the log at the first address, wherever they are served. For
   * other logs, keys are pinned at first use.
   */
  readonly policy: Policy;
  /** What an earlier watch left of the logs with this name: the newest head of each, the first pinned first. */
  readonly kept: (origin: string) => readonly KeptHead[];
  /** What an earlier watch accepted at an address. */
  readonly keptAddress: (url: string) => KeptAddress | undefined;
  readonly environment: Environment;
  readonly limits: Limits;
  /** Unix seconds. */
  readonly now: () => number;
  /** Seconds, as `CrossTerms` says. */
  readonly graceS: number;
  /** Runs what one address is asked in one poll. Rejects at the time limit, with the signal aborted. */
  readonly within: <T>(work: (signal: Aborted) => Promise<T>) => Promise<T>;
  /** Called with the result of the heads alone, before any entry is followed; keeps it before it resolves. */
  readonly onHeads?: (poll: Poll) => Promise<void>;
}

/** Whether the time limit has passed. */
type Aborted = Limits['signal'];

/** A checkpoint as one address showed it in a poll. */
export interface SeenHead {
  readonly url: string;
  readonly origin: string;
  readonly size: number;
  readonly note: Uint8Array;
  readonly accepted: boolean;
  /** It has a valid line of the log's key, whatever else is wrong with it. */
  readonly signed: boolean;
  /** What the next watch compares with once this head is accepted; null where it is not, and where it is not to be kept yet. */
  readonly pin: Pin | null;
  /** It was accepted at first, and its entries have shown that it may not be: what was kept of it is void. */
  readonly withdrawn: boolean;
  /** As in `KeptHead`. */
  readonly named: boolean;
  /** What others show of the log and this address does not show yet. */
  readonly behind: Owed | null;
}

/** The result of one poll. */
export interface Poll {
  readonly seen: readonly SeenHead[];
  /** All current findings: forks stay for good, silence until it ends. */
  readonly findings: readonly (WatchFinding | (Finding & { readonly evidence: null }))[];
  /** Addresses that could not be checked, or compared, and why. */
  readonly missed: readonly { readonly url: string; readonly reason: string }[];
  /** Which co-signer's log was compared with which publisher's. */
  readonly crossed: readonly { readonly recounter: string; readonly publisher: string }[];
  readonly notes: readonly NotChecked[];
}

/** A log, and the address where it was begun. */
interface Watched {
  readonly log: WatchedLog;
  readonly url: string;
}

interface Shown {
  readonly vantage: Vantage;
  readonly note: Uint8Array;
  readonly open: OpenCheckpoint;
}

/**
 * The findings that say nothing while a publisher's log, or a co-signer's, is not followed to its end, because they are
 * about what it lacks.
 */
const LACKING_PUBLISHER: readonly WatchCode[] = [
  'head_behind',
  'dissent_hidden',
  'agreement_hidden',
];
const LACKING_RECOUNTER: readonly WatchCode[] = ['word_unlogged', 'recounter_silent'];

/** Where a node that mirrors others keeps its copies. */
const MIRROR = /\/mirror\/[0-9a-f]{64}$/;

/**
 * Polls logs at several addresses. Each log must have one history everywhere, and a co-signer's log must agree with the
 * publisher's. It keeps in memory what it has followed; the caller keeps what must outlast it.
 */
export class Watch {
  readonly #parts: WatchParts;
  readonly #vantages: Vantage[];
  readonly #scope: PolicyScope;
  readonly #logs = new Map<string, Watched>();
  /** Heads of each publisher's tree that were compared, by its address. */
  readonly #heads = new Map<string, NamedHeads>();
  /** The prints of each publisher, by its address. */
  readonly #prints = new Map<string, PublisherPrints>();
  /** Logs that are being followed for longer than a poll; the promise gives the reason why one ended early. */
  readonly #following = new Map<WatchedLog, Promise<string | undefined>>();
  /** Findings that no later poll takes back, by their content. */
  readonly #lasting = new Map<string, Poll['findings'][number]>();

  /** Throws as `requirePolicy` for an invalid policy. */
  constructor(parts: WatchParts) {
    this.#parts = { ...parts, policy: requirePolicy(parts.environment.sha256, parts.policy) };
    this.#vantages = parts.urls.map((url) => this.#vantage(url, false));
    this.#scope = new PolicyScope(parts.policy, parts.environment.sha256);
    this.#scope.tie(this.#vantages[0]?.log?.origin);
  }

  /**
   * Checks everything once. Never throws because of an answer; what could not be reached is in `missed`. Heads are
   * compared and reported before entries are followed. Calls must not overlap.
   */
  async poll(): Promise<Poll> {
    const missed = new Map<string, string>();
    const current: Poll['findings'][number][] = [];
    const seen: SeenHead[] = [];
    const takeAll = async (of: readonly Shown[]): Promise<void> => {
      for (const each of of.toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
        const head = await this.#turn(each.vantage.url, missed, (signal) =>
          this.#take(each, missed, current, signal),
        );
        if (head !== undefined) seen.push(head);
      }
    };
    const named = [...this.#vantages];
    const shown = await this.#fetch(named, missed, current);
    this.#noteChanges(shown, current);
    for (const each of shown) {
      const { url } = each.vantage;
      await this.#turn(url, missed, (signal) => this.#begin(each, missed, signal));
    }
    // The largest comes first, because all smaller ones are compared by its tiles.
    await takeAll(shown);
    await this.#parts.onHeads?.({
      seen: this.#owed(seen),
      findings: [...this.#lasting.values(), ...current],
      missed: listed(missed),
      crossed: [],
      notes: [],
    });
    await this.#follow(seen, missed);
    let compared: Poll['findings'][number][] = [];
    let crossed = this.#cross(compared, missed);
    const copies = this.#vantages.filter((each) => !named.includes(each));
    if (copies.length > 0) {
      await takeAll(await this.#fetch(copies, missed, current));
      await this.#follow(seen, missed);
      compared = [];
      crossed = this.#cross(compared, missed);
    }
    current.push(...compared, ...(await this.#namedHeads(crossed, missed)));
    current.push(...this.#silence(seen, missed), ...this.#measure(seen, current));
    for (const { log, url } of this.#logs.values()) {
      const { walk, head, findings } = log;
      for (const each of findings) {
        const finding = prefixed(each, log.trusted.genesis.origin);
        if (isMissing(each)) current.push(finding);
        else this.#keep(finding);
      }
      if (findings.length > 0 && walk.size < (head?.size ?? 0) && !missed.has(url)) {
        missed.set(url, `entries from ${walk.size} on are not followed: a finding precedes them`);
      }
    }
    const notes = this.#notes(crossed, missed);
    return {
      seen: this.#owed(seen.map((each) => this.#walked(each))),
      findings: [...this.#lasting.values(), ...current],
      missed: listed(missed),
      crossed,
      notes,
    };
  }

  /** Asks an address within its time limit; undefined, and added to `missed`, where it did not finish. */
  async #turn<T>(
    url: string,
    missed: Map<string, string>,
    work: (signal: Aborted) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await this.#parts.within(work);
    } catch (error) {
      missed.set(url, messageOf(error));
      return undefined;
    }
  }

  /**
   * What the followed rows of logs show; undefined, and added to `missed`, where they cannot be read, which is a fault of
   * this machine and says nothing about the logs.
   */
  #read<T>(url: string, missed: Map<string, string>, what: string, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!missed.has(url)) missed.set(url, `${what}: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Adds to heads what their addresses are behind by now. */
  #owed(seen: readonly SeenHead[]): readonly SeenHead[] {
    const behind = new Map(this.#vantages.map((each) => [each.url, each.behind]));
    return seen.map((each) => ({ ...each, behind: behind.get(each.url) ?? null }));
  }

  /** A head with what its entries have shown of it by now. */
  #walked(head: SeenHead): SeenHead {
    const open = head.accepted ? openCheckpoint(head.note, new Findings()) : undefined;
    const log = this.#logs.get(head.origin)?.log;
    if (open === undefined || log === undefined) return head;
    if (!log.isTakenBack(head.size)) return { ...head, pin: log.pinOf(open.checkpoint) };
    return { ...head, accepted: false, pin: null, withdrawn: true };
  }

  #vantage(url: string, guessed: boolean): Vantage {
    const { readerOf, keptAddress } = this.#parts;
    return new Vantage(url, readerOf(url), guessed, keptAddress(url));
  }

  /** What each address shows now, in the order of the addresses. */
  async #fetch(
    vantages: readonly Vantage[],
    missed: Map<string, string>,
    current: Poll['findings'][number][],
  ): Promise<readonly Shown[]> {
    const answers = await Promise.all(
      vantages.map(async (vantage) => {
        const ask = (): Promise<Answer> => vantage.reader.get('/checkpoint');
        const answer = await this.#turn(vantage.url, missed, ask);
        return answer === undefined ? undefined : { vantage, answer };
      }),
    );
    return answers.flatMap((answered) => {
      if (answered === undefined) return [];
      const { vantage, answer } = answered;
      if (answer.status !== 200) {
        if (!vantage.guessed) missed.set(vantage.url, `no checkpoint: status ${answer.status}`);
        return [];
      }
      const findings = new Findings();
      const open = openCheckpoint(answer.body, findings);
      current.push(...findings.list.map((each) => prefixed(each, vantage.url)));
      return open === undefined ? [] : [{ vantage, note: answer.body, open }];
    });
  }

  /** Begins with a new log, from the first address that is no copy. */
  async #begin(
    { vantage, note, open }: Shown,
    missed: Map<string, string>,
    signal: Aborted,
  ): Promise<void> {
    const { origin } = open.checkpoint;
    if (MIRROR.test(vantage.url) || isOther(vantage, origin)) return;
    const { policy, environment, limits, kept, now } = this.#parts;
    const isFirst = vantage === this.#vantages[0];
    if (isFirst && this.#logs.has(origin)) this.#scope.tie(origin);
    if (this.#logs.has(origin)) return;
    const held = isFirst ? policy : this.#scope.policyOf(origin);
    if (held === undefined) {
      missed.set(
        vantage.url,
        'not begun: the log at the first address, which the policy holds, is not known yet',
      );
      return;
    }
    const pins = (): Promise<undefined> => Promise.resolve(undefined);
    const session = openSession(
      'log',
      held,
      pins,
      environment,
      limits,
      undefined,
      [],
      undefined,
      undefined,
      now(),
    );
    try {
      const log = await WatchedLog.begin(session, vantage.reader, open, (id) => {
        const before = choosePin(kept(origin), held, id);
        return before === undefined ? undefined : { ...before, head: headOf(before) };
      });
      // Nobody waits for it any more.
      if (signal.aborted) return;
      const isHeld = this.#scope.names(origin) || isFirst;
      if (log !== undefined && !isHeld && log.id === policy.log_id) {
        // A log that the policy names only by id is recognized by its first entry. It is begun again under the whole
        // policy.
        this.#scope.tie(origin);
        await this.#begin({ vantage, note, open }, missed, signal);
        return;
      }
      if (log !== undefined) this.#logs.set(origin, { log, url: vantage.url });
      if (log !== undefined && isFirst) this.#scope.tie(origin);
    } catch (error) {
      missed.set(vantage.url, messageOf(error));
    }
    for (const each of session.findings.list) {
      if (isMissing(each)) missed.set(vantage.url, `${each.place}: ${each.found}`);
      else this.#keep(prefixed(each, vantage.url));
    }
  }

  /** Adds a finding for each address that shows another log than before. */
  #noteChanges(shown: readonly Shown[], current: Poll['findings'][number][]): void {
    for (const { vantage, open } of shown) {
      const { origin } = open.checkpoint;
      if (isOther(vantage, origin)) current.push(changed(vantage, origin));
    }
  }

  async #take(
    { vantage, note, open }: Shown,
    missed: Map<string, string>,
    current: Poll['findings'][number][],
    signal: Aborted,
  ): Promise<SeenHead | undefined> {
    if (vantage.forked) {
      missed.set(vantage.url, 'nothing more of it is taken: it has shown another history');
      return undefined;
    }
    const { origin, size } = open.checkpoint;
    const watched = this.#logs.get(origin);
    const { url } = vantage;
    let refused = {
      url,
      origin,
      size,
      note,
      accepted: false,
      signed: false,
      pin: null,
      withdrawn: false,
      named: false,
      behind: null,
    };
    if (isOther(vantage, origin)) return refused;
    if (watched === undefined) {
      if (!missed.has(url)) missed.set(url, `no address shows ${origin} from its first entry`);
      return refused;
    }
    const { log } = watched;
    if (isOther(vantage, origin, log.id)) {
      current.push(changed(vantage, `${origin}, log ${log.id}`));
      return refused;
    }
    const known = log.head;
    const isBefore = log.isBefore;
    const shown = await log.take(note, open, vantage.reader, this.#parts.now(), signal);
    refused = { ...refused, signed: shown.outcome !== 'refused' || shown.signed };
    // The largest comes first. Where it is smaller than what an earlier watch saw, no address shows that.
    const least = isBefore ? Math.max(vantage.largest, known?.size ?? 0) : vantage.largest;
    const isBack = size < least;
    if (isBack) {
      const expected = `at least ${least} entries of ${origin}, as before`;
      current.push(watchFinding('head_behind', url, expected, `${size}`));
    }
    vantage.largest = Math.max(vantage.largest, size);
    switch (shown.outcome) {
      case 'accepted':
        vantage.log ??= { origin, log_id: log.id };
        return { ...refused, accepted: true, pin: log.pinOf(open.checkpoint), named: log.named };
      case 'fork': {
        const expected = `one history of ${origin}, that of ${known?.size} entries`;
        vantage.forked = true;
        const found =
          shown.evidence === null
            ? `another, of ${size} entries, signed by a checkpoint key of the log; no key of it is known to have signed both histories, so no file proves this to others`
            : `another, of ${size} entries, signed by the same key`;
        this.#keep(watchFinding('fork', url, expected, found, shown.evidence));
        break;
      }
      case 'refused':
        current.push(...shown.findings.map((each) => prefixed(each, url)));
        break;
      case 'bad_tiles': {
        const expected = 'tiles that lead to the signed root';
        current.push(
          prefixed({ code: 'tile_differs', place: '/tile', expected, found: shown.reason }, url),
        );
        break;
      }
      case 'unknown':
        if (!isBack) missed.set(url, `its head could not be compared: ${shown.reason}`);
        break;
    }
    return refused;
  }

  /**
   * Follows each log's entries at an address that shows its largest head, preferably the one that began it. A log that
   * exceeds the time limit is followed further in the background and delays no other.
   */
  async #follow(seen: readonly SeenHead[], missed: Map<string, string>): Promise<void> {
    const turns = [...this.#logs].map(async ([origin, { log, url }]) => {
      const { head } = log;
      const at = seen.filter(
        (each) => each.accepted && each.origin === origin && each.size === head?.size,
      );
      const here = (at.find((each) => each.url === url) ?? at[0])?.url;
      const reader = this.#vantages.find((each) => each.url === here)?.reader;
      if (head === undefined || here === undefined || reader === undefined) return;
      const from = log.walk.size;
      try {
        const reason = await this.#parts.within(async () => {
          // What an earlier poll began leads to a head of that time.
          const before = await this.#following.get(log);
          return before ?? (await this.#begun(log, log.follow(head, reader)));
        });
        if (reason !== undefined) missed.set(here, reason);
      } catch (error) {
        const { size } = log.walk;
        const more = size > from ? `, ${size - from} of them in this poll` : '';
        const words = `${size} of ${head.size} entries are followed so far${more}`;
        missed.set(here, `${words}: ${messageOf(error)}`);
      }
    });
    await Promise.all(turns);
  }

  /** Remembers that a log is being followed until that ends, and why it ended early. */
  #begun(log: WatchedLog, following: Promise<void>): Promise<string | undefined> {
    const under = following.then(() => undefined, messageOf);
    this.#following.set(log, under);
    return under.finally(() => this.#following.delete(log));
  }

  /** Addresses that have been behind the largest head of their log for longer than the grace period. */
  #measure(seen: readonly SeenHead[], current: Poll['findings']): readonly WatchFinding[] {
    const now = this.#parts.now();
    const findings: WatchFinding[] = [];
    for (const { url, origin, size, accepted } of seen) {
      const vantage = this.#vantages.find((each) => each.url === url);
      const head = this.#logs.get(origin)?.log.head;
      if (!accepted || vantage === undefined || head === undefined) continue;
      vantage.measure(size, head.size, now);
      const { behind } = vantage;
      if (behind === null || now - behind.since <= this.#parts.graceS) continue;
      if (current.some(({ code, place }) => code === 'head_behind' && place === url)) continue;
      const since = formatTime(behind.since);
      const expected = `at least ${behind.size} entries of ${origin}, shown elsewhere since ${since}`;
      findings.push(watchFinding('head_behind', url, expected, `${size}`));
    }
    return findings;
  }

  /**
   * Compares each co-signer's log with each publisher's log that names its key, and looks for the copies that the
   * co-signer keeps.
   */
  #cross(current: Poll['findings'][number][], missed: Map<string, string>): Poll['crossed'] {
    const crossed: { readonly recounter: string; readonly publisher: string }[] = [];
    for (const each of this.#logs.values()) {
      const { log, url } = each;
      const publisher = this.#read(url, missed, 'its reports could not be compared', () =>
        this.#publisher(each),
      );
      current.push(...(this.#prints.get(url)?.findings ?? []));
      if (publisher === undefined) continue;
      const owners = new Map<string, string>();
      for (const other of this.#logs.values()) {
        if (other.log === log) continue;
        const what = `it could not be compared with ${other.url}`;
        const isCrossed = this.#read(url, missed, what, () =>
          this.#pair(log, publisher, other.log, owners, current),
        );
        if (isCrossed !== true) continue;
        crossed.push({ recounter: other.url, publisher: url });
        const { sha256 } = this.#parts.environment;
        const { origin } = log.trusted.genesis;
        const copy = `${other.url}/mirror/${hashHex(contentHash(sha256, formatUtf8(origin)))}`;
        if (!this.#vantages.some(({ url: known }) => known === copy)) {
          this.#vantages.push(this.#vantage(copy, true));
        }
      }
    }
    return crossed;
  }

  /** A log that names co-signers, with its new reports among its prints; undefined for any other. */
  #publisher({ log, url }: Watched): PublisherLog | undefined {
    const { walk, trusted } = log;
    if (walk.log === undefined || cosignerSets(walk.views).length === 0) return undefined;
    const owedSince = (seq: number): number | undefined => {
      const at = walk.signedReportAt(seq);
      if (at === undefined) return undefined;
      const seen = trusted.genesis.network === 'development' ? undefined : log.seenAt(seq);
      return Math.max(parseTime(at), seen ?? 0);
    };
    const publisher = { state: walk.views, log: walk.log, size: walk.size, owedSince };
    const prints = this.#prints.get(url) ?? new PublisherPrints();
    this.#prints.set(url, prints);
    prints.take(publisher, formatBase64(log.first), this.#parts.environment.sha256);
    return publisher;
  }

  /**
   * Compares another log with a publisher's that names its key; false where none of its keys is named. `owners` are the
   * logs that have shown a key so far.
   */
  #pair(
    log: WatchedLog,
    publisher: PublisherLog,
    other: WatchedLog,
    owners: Map<string, string>,
    current: Poll['findings'][number][],
  ): boolean {
    const { environment, graceS, now } = this.#parts;
    const { walk, trusted } = log;
    const { origin, network } = trusted.genesis;
    const { origin: name } = other.trusted.genesis;
    // A log that changes its key still holds the statements of the earlier key.
    const keys = keysOf(other.walk.views).filter(({ key }) => isMember(walk.views, key));
    if (keys.length === 0) return false;
    for (const { key } of keys) {
      const owner = owners.get(key);
      owners.set(key, owner ?? name);
      if (owner === undefined) continue;
      const expected = `one log of the co-signer's key ${key}: ${owner}`;
      current.push(watchFinding('key_twice', origin, expected, name));
    }
    const times = [walk.at, other.walk.at].map((at) => (at === '' ? 0 : parseTime(at)));
    // Only the logs themselves know the time of simulated clocks.
    const terms = { now: network === 'development' ? Math.max(...times) : now(), graceS };
    // While a log is not followed to its end, nobody knows what it lacks there.
    const lacks = new Set<string>([
      ...(walk.size === log.head?.size ? [] : LACKING_PUBLISHER),
      ...(other.walk.size === other.head?.size ? [] : LACKING_RECOUNTER),
    ]);
    for (const { key } of keys) {
      const recounter = { state: other.walk.views, key, name };
      const found = crossCheck(publisher, recounter, terms, environment.sha256);
      current.push(...found.filter(({ code }) => !lacks.has(code)));
    }
    return true;
  }

  /** Compares the heads that co-signers name in their logs with the publishers' trees. */
  async #namedHeads(
    crossed: Poll['crossed'],
    missed: Map<string, string>,
  ): Promise<readonly WatchFinding[]> {
    const found: WatchFinding[] = [];
    const logOf = (url: string): WatchedLog | undefined =>
      [...this.#logs.values()].find((each) => each.url === url)?.log;
    for (const { recounter, publisher } of crossed) {
      const [own, of] = [logOf(recounter), logOf(publisher)];
      if (own === undefined || of?.walk.log === undefined) continue;
      const { walk, tiles } = of;
      const heads = this.#heads.get(publisher) ?? new NamedHeads();
      this.#heads.set(publisher, heads);
      const tree = { log: walk.log as HashHex, size: walk.size, root: walk.root() };
      const naming = { state: own.walk.views, name: own.trusted.genesis.origin };
      try {
        const { environment, within: turn } = this.#parts;
        const poll = ({ sha256 }: Environment): Promise<readonly WatchFinding[]> =>
          heads.check({ ...tree, tiles }, naming, sha256);
        found.push(...(await turn(() => poll(environment))));
      } catch (error) {
        const reason = `heads that ${recounter} names could not be compared: ${messageOf(error)}`;
        if (!missed.has(publisher)) missed.set(publisher, reason);
      }
    }
    return found;
  }

  /** What publishers left out: only of those that showed a head and were followed to it. */
  #silence(seen: readonly SeenHead[], missed: Map<string, string>): readonly WatchFinding[] {
    const { graceS, now } = this.#parts;
    return [...this.#logs.values()].flatMap(({ log, url }) => {
      const { walk, trusted } = log;
      const { origin, network } = trusted.genesis;
      const here = seen.find((each) => each.url === url && each.accepted);
      const isFollowed = here !== undefined && walk.size >= here.size;
      // On a simulated clock nobody is late.
      if (!isFollowed || log.findings.length > 0 || network === 'development') return [];
      const newest = walk.at === '' ? 0 : parseTime(walk.at);
      const terms = { now: now(), graceS };
      const what = 'what it leaves out could not be looked up';
      const found = this.#read(url, missed, what, () => [
        ...publisherSilence({ state: walk.views, name: origin, newest }, terms),
        ...missingDays(walk.views, origin, terms),
      ]);
      return found ?? [];
    });
  }

  #keep(finding: Poll['findings'][number]): void {
    const { code, place, expected, found } = finding;
    const key = [code, place, expected, found].join('\0');
    if (!this.#lasting.has(key)) this.#lasting.set(key, finding);
  }

  /** What the publishers leave open, and the co-signers whose logs nobody watches. */
  #notes(crossed: Poll['crossed'], missed: Map<string, string>): readonly NotChecked[] {
    const notes = new NotCheckedList();
    const { policy } = this.#parts;
    const only = 'a watch holds no number to it: assay verify does';
    if (policy.cosigners_required > 0) {
      notes.add(
        'quorum',
        "the agreement of the policy's co-signers with each final",
        only,
        'whole_log',
      );
    }
    if (policy.complete)
      notes.add('completeness', 'that each log is complete, as the policy asks', only, 'whole_log');
    for (const each of this.#logs.values()) {
      const what = 'what it leaves open could not be looked up';
      this.#read(each.url, missed, what, () => this.#noteOpen(each, crossed, notes));
    }
    return notes.list;
  }

  #noteOpen({ log, url }: Watched, crossed: Poll['crossed'], notes: NotCheckedList): void {
    const { walk, trusted } = log;
    const newest = walk.at === '' ? 0 : parseTime(walk.at);
    const now = trusted.genesis.network === 'development' ? newest : this.#parts.now();
    nameGaps(gapsOf(walk.views, now), notes);
    nameMovedReleases(walk.views, now, notes);
    walk.declared.name(notes);
    const watched = crossed
      .filter(({ publisher }) => publisher === url)
      .map(({ recounter }) => recounter);
    const keys = [...this.#logs.values()]
      .filter((other) => watched.includes(other.url))
      .flatMap((other) => keysOf(other.log.walk.views).map(({ key }) => key));
    for (const { name, key } of cosignerSets(walk.views).at(-1)?.cosigners ?? []) {
      if (keys.includes(key)) continue;
      notes.add(
        'scope',
        `what ${name} states in its log`,
        'its address is not among those watched',
        'watch',
      );
    }
  }
}

function listed(missed: ReadonlyMap<string, string>): Poll['missed'] {
  return [...missed].map(([url, reason]) => ({ url, reason }));
}

/**
 * The days that a publisher's log has no index entry for, although they ended longer ago than the grace period, which
 * is at least a day.
 */
function missingDays(
  state: ViewState,
  name: string,
  { now, graceS }: SilenceTerms,
): readonly WatchFinding[] {
  const days = unindexedDays(state, now - Math.max(0, graceS - DAY_SECONDS));
  if (days.length === 0) return [];
  const expected = 'an index entry of each day since the first rule';
  return [watchFinding('index_missing', name, expected, `none of ${listedDays(days)}`)];
}

function sizeOf({ open }: Shown): number {
  return open.checkpoint.size;
}

/** Whether an address shows another log than before. */
function isOther({ log }: Vantage, origin: string, id?: string): boolean {
  if (log === undefined) return false;
  return log.origin !== origin || (id !== undefined && log.log_id !== id);
}

function changed({ url, log }: Vantage, found: string): WatchFinding {
  const expected = `${log?.origin}, log ${log?.log_id}, as before`;
  return watchFinding('log_changed', url, expected, found);
}

function isMember(state: Parameters<typeof cosignerSets>[0], key: string): boolean {
  return cosignerSets(state).some(({ cosigners }) => cosigners.some((each) => each.key === key));
}

/** A head of an earlier watch, whose tiles are not kept. Throws `bad_note` or `bad_base64` for an invalid note. */
function headOf({ note }: KeptHead): Head {
  const open = openCheckpoint(note, new Findings());
  if (open === undefined) throw new TypeError('headOf: a kept note that is no checkpoint');
  const tiles = (): Promise<Uint8Array> => Promise.reject(new TypeError('no tiles are kept'));
  return { note, checkpoint: open.checkpoint, tiles };
}

function prefixed(finding: Finding, where: string): Finding & { readonly evidence: null } {
  return { ...finding, place: `${where}, ${finding.place}`, evidence: null };
}
