import type { Checkpoint } from '@assay/core/log/checkpoint';
import { type NoteKey, parseNote, parseNoteKey } from '@assay/core/log/note';
import { type CheckpointTerm, checkpointTerms, termOf } from '@assay/core/view/key/checkpoint-keys';
import type { Environment } from '../verdict/environment.ts';
import type { PinnedKey } from '../trust/key-path.ts';
import { formatTilePath, levelLength, TILE_WIDTH } from '@assay/core/log/tile';
import { Fault } from '@assay/core/fault';
import { equalBytes } from '@assay/core/bytes/bytes';
import { type HashHex, hashHex, leafHash } from '@assay/core/hash/hash';
import { type ForkEvidence, type ProvenGenesis, provenGenesis } from '@assay/core/proof/evidence';
import { verifyInclusion } from '@assay/core/log/tree';
import { accuseWitnesses } from '../evidence/evidence-tree.ts';
import { EvidenceReader } from '../reader/blobs.ts';
import { PackedBlobs } from '../reader/packed-blobs.ts';
import { checkSignatures, type OpenCheckpoint, openCheckpoint } from '../trust/checkpoint-check.ts';
import { type Finding, Findings, MAX_FINDINGS } from '../verdict/finding.ts';
import { type BothSigner, compareHeads, type Head, type HeadComparison } from './head-compare.ts';
import { type Limits, pauseWithin } from '../verdict/limits.ts';
import type { Answer, LogReader } from '../reader/log-reader.ts';
import { LogWalk } from '../log/log-walk.ts';
import type { Pin } from '../verdict/policy.ts';
import type { Session } from '../subject/session.ts';
import { inclusionProof, type ReadTile } from '../reader/tile-proofs.ts';
import { closingHeadPath, LogKeys } from '../trust/closing-head.ts';
import { believedKeys, firstTerms, judgeHead } from '../trust/key-path.ts';
import { isSignedBy } from '../trust/signed-note.ts';
import { makePin, requireNamedKeys, type TrustedKey, trustLog } from '../trust/trust.ts';
import { servedKeys } from '../subject/served-keys.ts';
import { emptyTally, NotCheckedList } from '../verdict/verdict.ts';
import { EntryStream } from '../subject/entry-stream.ts';
import { checkWitnesses } from '../trust/witness-check.ts';

const HASH_BYTES = 32;

/** The result for a checkpoint that a vantage point shows. */
export type Shown =
  /** It continues the known history, or is part of it. */
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'refused'; readonly findings: readonly Finding[]; readonly signed: boolean }
  | Exclude<HeadComparison, { readonly outcome: 'consistent' }>;

type Fork = Extract<HeadComparison, { readonly outcome: 'fork' }>;

/** Entries that are being walked. */
interface Following {
  readonly walk: LogWalk;
  readonly feed: EntryStream;
  readonly findings: Findings;
  /** The size of the newest head that the entries were held against. */
  held: number;
}

/**
 * One log, as all vantage points together show it: the trusted key, the newest head that everything seen so far is part
 * of, and the entries as one vantage point serves them.
 */
export class WatchedLog {
  /** What the log is believed for, and its first checkpoint key. */
  readonly trusted: TrustedKey;
  /** Entry 0. */
  readonly first: Uint8Array;
  readonly id: HashHex;
  /** Somebody named its key or its id, in this watch or in an earlier one. */
  readonly named: boolean;
  readonly #session: Session;
  /** The address where it was begun. Bytes that another address does not have are asked for there. */
  readonly #origin: LogReader;
  #source: LogReader;
  #following: Following;
  /** Bytes that could not be fetched. */
  readonly #missing = new Set<string>();
  #head: Head | undefined;
  /** The checkpoint keys of the log as far as they were followed. */
  #keys: readonly CheckpointTerm[];
  /** Sizes of the heads that were accepted as the newest, ascending, and when, in Unix seconds. */
  readonly #grown: { readonly size: number; readonly at: number }[] = [];
  /**
   * The newest head of each address that the log's key has signed. A head whose tiles cannot be fetched hides no fork
   * that others show.
   */
  readonly #shown = new Map<LogReader, Head>();
  /** The newest head whose entries brought no other key than the one that signed it. */
  #held: Head | undefined;
  /** Heads whose tiles could not be fetched when they were last asked for. */
  readonly #tileless = new WeakSet<Head>();
  /** Verifier keys whose heads may be pinned before their entries were walked: the named ones, or the first one. */
  readonly #believed: ReadonlySet<string>;
  /** The checkpoint keys that the walk has shown. */
  #walked: readonly CheckpointTerm[] = [];
  /** The head that was taken back, because the walk has shown that its key does not sign heads of its size. */
  #takenBack: Head | undefined;
  #isBefore: boolean;
  /** Something that an entry needs could not be fetched, so what it was needed for has not been checked. */
  #isTorn = false;
  /** The errors of tiles that could not be fetched. They are asked for ahead, and needed once their entries were taken. */
  readonly #tileErrors = new Set<unknown>();

  private constructor(
    session: Session,
    reader: LogReader,
    first: Uint8Array,
    trusted: TrustedKey,
    kept: KeptLog | undefined,
    keys: readonly CheckpointTerm[],
  ) {
    const { environment, policy } = session;
    this.#session = session;
    this.#origin = reader;
    this.#source = reader;
    this.first = first;
    this.id = hashHex(leafHash(environment.sha256, first));
    this.trusted = trusted;
    this.named = trusted.trust === 'policy' || kept?.named === true;
    this.#head = kept?.head;
    this.#held = kept?.head;
    this.#keys = keys;
    this.#believed = new Set(believedKeys(policy, kept?.pin, trusted));
    this.#isBefore = kept !== undefined;
    this.#following = this.#follow();
  }

  get walk(): LogWalk {
    return this.#following.walk;
  }

  /** Tiles of the address from which the entries were followed. */
  get tiles(): ReadTile {
    return tilesOf(this.#source);
  }

  #follow(): Following {
    const { environment, work } = this.#session;
    const fresh = {
      findings: new Findings(MAX_FINDINGS, work),
      notChecked: new NotCheckedList(),
      tally: emptyTally(),
    };
    const reader: LogReader = { live: this.#origin.live, get: (path) => this.#get(path) };
    const packed = new PackedBlobs(reader);
    const scout = new EvidenceReader(
      packed.read,
      environment,
      fresh.findings,
      fresh.tally,
      work,
      packed.alone,
    );
    const pause = (): Promise<void> => pauseWithin(work, environment);
    const walk = new LogWalk(
      environment,
      { evidence: scout, ...fresh, work, pause },
      {
        openings: this.#session.limits.openings,
        foldedBytes: this.#session.limits.folded_bytes,
      },
    );
    const feed = new EntryStream({ ...this.#session, ...fresh }, reader, walk, {
      onBundle: (index, size) => packed.open(index, size),
    });
    return { walk, feed, findings: fresh.findings, held: 0 };
  }

  async #get(path: string): Promise<Answer> {
    // What no pack has is asked for alone, so that nothing is missing without one.
    if (path.startsWith('/pack/')) return this.#source.get(path);
    let answer: Answer;
    try {
      answer = await this.#source.get(path);
      if (answer.status !== 200 && this.#source !== this.#origin) {
        answer = await this.#origin.get(path);
      }
    } catch (error) {
      if (!path.startsWith('/tile/')) this.#isTorn = true;
      else if (!path.startsWith('/tile/entries/')) this.#tileErrors.add(error);
      throw error;
    }
    if (answer.status === 200) this.#missing.delete(path);
    else this.#missing.add(path);
    return answer;
  }

  /**
   * Starts to follow from the beginning where all findings are about bytes that were missing, and the bytes are there
   * now.
   */
  async #again(): Promise<boolean> {
    if (!this.#following.findings.list.every(isMissing)) return false;
    for (const path of this.#missing) if ((await this.#get(path)).status !== 200) return false;
    await this.#followAnew();
    return true;
  }

  /** Starts to follow from the beginning. The rows of before are given up when nobody reads them any more. */
  async #followAnew(): Promise<void> {
    const { views } = this.#following.walk;
    this.#following = this.#follow();
    // Rows that cannot be removed are no fault of the log. They go with the place where they are.
    await views.drop().catch(() => undefined);
  }

  /**
   * A log as one vantage point begins it. `kept` gives the head that an earlier watch accepted of the log with this id,
   * and the pin that belongs to it. Undefined with findings in the session where the log is not the one that is trusted,
   * or has no key that is.
   */
  static async begin(
    session: Session,
    reader: LogReader,
    open: OpenCheckpoint,
    kept: (log: HashHex) => KeptLog | undefined,
  ): Promise<WatchedLog | undefined> {
    const { environment, findings, policy } = session;
    const { checkpoint } = open;
    const scout = new EntryStream(session, reader, new LogWalk(environment, nothing(session)));
    const [first] =
      (checkpoint.size === 0 ? undefined : await scout.bundle(0, checkpoint.size)) ?? [];
    if (first === undefined) {
      findings.add(
        'genesis_misplaced',
        'checkpoint',
        'at least entry 0',
        `size ${checkpoint.size}`,
      );
      return undefined;
    }
    const before = kept(hashHex(leafHash(environment.sha256, first)));
    const trusted = trustLog(first, policy, before?.pin, environment, findings);
    if (trusted === undefined) return undefined;
    if (findings.count > 0) {
      requireNamedKeys([trusted.vkey], policy, before?.pin, findings);
      return undefined;
    }
    const keys = await keysAtFirst(session, reader, open, trusted, before?.pin);
    if (findings.count > 0) return undefined;
    return new WatchedLog(session, reader, new Uint8Array(first), trusted, before, keys);
  }

  /** The newest head that all seen heads are part of. */
  get head(): Checkpoint | undefined {
    return this.#head?.checkpoint;
  }

  /** Whether that head is one that an earlier watch left, and that no address has shown or continued yet. */
  get isBefore(): boolean {
    return this.#isBefore;
  }

  /**
   * What the next watch compares with once a head of this log is accepted; null for an empty log, which leaves nothing
   * to compare with, for a head that was taken back, and for one of a key that replaced those that were believed, until
   * the entries up to it were walked: what an address shows of keys alone is not left for the next watch.
   */
  pinOf({ size, root }: Checkpoint): Pin | null {
    if (size === 0 || this.isTakenBack(size)) return null;
    const id = leafHash(this.#session.environment.sha256, this.first);
    const vkey = termOf(this.#keys, size)?.vkey ?? this.trusted.vkey;
    if (!this.#believed.has(vkey) && termOf(this.#walked, size)?.vkey !== vkey) return null;
    return makePin({ ...this.trusted, vkey }, id, size, root);
  }

  /** Whether the walk has shown that a head of `size`, which was accepted, was signed by a key that does not sign it. */
  isTakenBack(size: number): boolean {
    return this.#takenBack !== undefined && size > (this.#held?.checkpoint.size ?? 0);
  }

  /** What was found in the entries themselves so far. */
  get findings(): readonly Finding[] {
    return this.#following.findings.list;
  }

  /**
   * Checks what a vantage point shows against the log's key, the policy's witnesses and the known head. A larger head
   * becomes the known one. `now` is in Unix seconds. Once `signal` is aborted no tile is read, and no head is accepted
   * that would need one.
   */
  async take(
    note: Uint8Array,
    open: OpenCheckpoint,
    reader: LogReader,
    now: number,
    signal: Limits['signal'] = { aborted: false },
  ): Promise<Shown> {
    const { environment, policy } = this.#session;
    const { genesis } = this.trusted;
    const findings = new Findings();
    const keys = this.#keys;
    const good = await this.#signatures(open, reader, findings);
    await checkWitnesses(open, { policy, genesis, now }, environment, findings);
    const head: Head = { note, checkpoint: open.checkpoint, tiles: tilesOf(reader) };
    if (good === 0) {
      const evidence = await this.#stolenFork(head, signal);
      if (evidence === null) return { outcome: 'refused', findings: findings.list, signed: false };
      return await this.#accused({ outcome: 'fork', evidence });
    }
    const others = [...this.#shown].flatMap(([by, each]) => (by === reader ? [] : [each]));
    this.#shown.set(reader, head);
    const known = this.#head;
    if (known !== undefined) {
      const sizeOf = ({ checkpoint }: Head): number => checkpoint.size;
      const timed = (each: Head): Head => ({ ...each, tiles: tilesWithin(each.tiles, signal) });
      const compare = async (other: Head): Promise<HeadComparison> => {
        const [a, b] = [timed(other), timed(head)];
        const larger = sizeOf(other) > sizeOf(head) ? other : head;
        this.#tileless.add(larger);
        const signerOf = (): Promise<BothSigner | undefined> => this.#signerOf(b, a);
        const outcome = await compareHeads(a, b, signerOf, environment.sha256);
        if (outcome.outcome !== 'unknown') this.#tileless.delete(larger);
        if (outcome.outcome !== 'fork' || outcome.evidence !== null) return outcome;
        return { ...outcome, evidence: await this.#endedFork(a, b, signal) };
      };
      const rest = others.filter((each) => each !== known);
      let compared: HeadComparison = { outcome: 'unknown', reason: 'nothing was compared' };
      for (const other of this.#tileless.has(known) ? [...rest, known] : [known, ...rest]) {
        const outcome = await compare(other);
        if (other === known || outcome.outcome === 'fork') compared = outcome;
        if (compared.outcome !== 'unknown') break;
      }
      // Keys that a head of another history brings are none of this log.
      if (compared.outcome !== 'consistent') this.#keys = keys;
      if (compared.outcome === 'fork') {
        this.#shown.delete(reader);
        return await this.#accused(compared);
      }
      if (compared.outcome !== 'consistent') return compared;
    }
    if (findings.count > 0) return { outcome: 'refused', findings: findings.list, signed: true };
    if (known === undefined || known.checkpoint.size <= head.checkpoint.size) {
      if (known === undefined || known.checkpoint.size < head.checkpoint.size) {
        this.#grown.push({ size: head.checkpoint.size, at: now });
      }
      this.#head = head;
      this.#isBefore = false;
    }
    return { outcome: 'accepted' };
  }

  /**
   * The good lines of the log's keys on a head, which must have one of each key that is in force for its size. A head
   * that no known key signed may lead to the key that replaced the newest one: what its address shows of the log's keys
   * decides.
   */
  async #signatures(open: OpenCheckpoint, reader: LogReader, findings: Findings): Promise<number> {
    const { environment, policy } = this.#session;
    const { size } = open.checkpoint;
    const unnamed = new NotCheckedList();
    const keys = new LogKeys(this.#keys, environment.sha256).of(Math.max(1, size));
    const isKnown = await hasLineOf(open, keys.signers, environment);
    const last = this.#keys.at(-1);
    if (!isKnown && last !== undefined && size > last.above) {
      const before = findings.count;
      const judged = await judgedAt({ session: this.#session, reader }, open, this.trusted, {
        pin: this.#known(),
        findings,
      });
      if (judged !== undefined) {
        if (findings.count === before) this.#keys = judged.keys;
        return judged.good;
      }
    }
    return await checkSignatures(open, keys, policy, environment, findings, unnamed);
  }

  /** The key of the newest head that was accepted. */
  #known(): PinnedKey | undefined {
    const size = this.#head?.checkpoint.size ?? 0;
    const vkey = termOf(this.#keys, size)?.vkey;
    return vkey === undefined ? undefined : { checkpoint_vkey: vkey, size };
  }

  /** The same fork, whose evidence accuses the policy's witnesses that signed both heads too. */
  async #accused(fork: Fork): Promise<Fork> {
    if (fork.evidence === null) return fork;
    const { environment, policy } = this.#session;
    const vkeys = policy.witnesses.map((each) => each.vkey);
    return { ...fork, evidence: await accuseWitnesses(fork.evidence, vkeys, environment) };
  }

  /** Evidence that a head of another history was signed by a key that does not sign heads of its size. */
  async #stolenFork(head: Head, signal: Limits['signal']): Promise<ForkEvidence | null> {
    const known = this.#head;
    if (known === undefined || (await this.#signersOf(head.note)).length === 0) return null;
    const timed = (each: Head): Head => ({ ...each, tiles: tilesWithin(each.tiles, signal) });
    return await this.#endedFork(timed(head), timed(known), signal);
  }

  /** The key of the log that signed both heads, whether it may sign heads of their sizes or not; undefined without one. */
  async #signerOf(a: Head, b: Head): Promise<BothSigner | undefined> {
    const [of, and] = [await this.#signersOf(a.note), await this.#signersOf(b.note)];
    const common = of.find((each) => and.includes(each));
    if (common === undefined) return undefined;
    // Genesis names the first key alone: of a later one no evidence shows which log it signs for.
    const isFirst = common.number === 0;
    const genesis = isFirst ? ((await this.#proven(a)) ?? (await this.#proven(b))) : null;
    return { vkey: common.vkey, genesis };
  }

  /** The terms of the keys that have a good line on a head, the first one first. */
  async #signersOf(given: Uint8Array): Promise<readonly CheckpointTerm[]> {
    const { environment } = this.#session;
    const note = parseNote(given);
    const signed: CheckpointTerm[] = [];
    for (const term of this.#keys) {
      const key = parseNoteKey(environment.sha256, term.vkey);
      if (await isSignedBy(note, key, environment)) signed.push(term);
    }
    return signed;
  }

  /**
   * Evidence against the older key of two heads that exclude each other and have no key in common: its closing head is of
   * the history of the newer key, and where it excludes the head that the older key signed, that key signed both. Null
   * where no address has such a closing head, and where the head extends it.
   */
  async #endedFork(a: Head, b: Head, signal: Limits['signal']): Promise<ForkEvidence | null> {
    const [ofA, ofB] = [(await this.#signersOf(a.note))[0], (await this.#signersOf(b.note))[0]];
    // A key that is not known yet is newer than those that are.
    const isA = ofA !== undefined && (ofB === undefined || ofA.number < ofB.number);
    const [older, newer, ended] = isA ? [a, b, ofA] : [b, a, ofB];
    if (ended === undefined) return null;
    for (const reader of new Set([this.#source, this.#origin, ...this.#shown.keys()])) {
      if (signal.aborted) return null;
      const closing = await closingHead(reader, ended, newer);
      if (closing === undefined) continue;
      const signerOf = (): Promise<BothSigner | undefined> => this.#signerOf(older, closing);
      const { sha256 } = this.#session.environment;
      const outcome = await compareHeads(older, closing, signerOf, sha256);
      if (outcome.outcome === 'fork' && outcome.evidence !== null) return outcome.evidence;
    }
    return null;
  }

  /**
   * When an entry was first seen, in Unix seconds. Undefined for entries that existed when the watch began, and for
   * those that no accepted head has.
   */
  seenAt(seq: number): number | undefined {
    let low = 0;
    let high = this.#grown.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#grown[middle]?.size ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? undefined : this.#grown[low]?.at;
  }

  /** Entry 0 and its proof in a head's tree; null where the tiles do not prove it. */
  async #proven({ checkpoint, tiles }: Head): Promise<ProvenGenesis | null> {
    const { sha256 } = this.#session.environment;
    const { size, root } = checkpoint;
    try {
      const proof = await inclusionProof(tiles, sha256, 0, size);
      verifyInclusion(sha256, leafHash(sha256, this.first), 0, size, proof, root);
      return provenGenesis(this.first, proof);
    } catch {
      return null;
    }
  }

  /**
   * Follows the entries to a head, at an address that shows it. What they show is in `findings`, and nothing is
   * followed beyond a finding. Missing bytes are tried again. Throws where an address cannot be reached. The next call
   * continues from there, or from entry 0 where an entry was not taken as a whole: something that it needs could not be
   * fetched, or a row could not be read or written. Calls must not overlap.
   */
  async follow({ size, root }: Checkpoint, source: LogReader): Promise<void> {
    this.#source = source;
    if (this.#isTorn || this.walk.isTorn) {
      this.#isTorn = false;
      await this.#followAnew();
    }
    if (this.#following.findings.count > 0 && !(await this.#again())) return;
    const following = this.#following;
    const { walk, feed, findings } = following;
    if (size < walk.size || size === following.held) return;
    try {
      if (!(await feed.walkTo(size))) return;
    } catch (error) {
      if (this.#tileErrors.has(error)) this.#isTorn = true;
      throw error;
    } finally {
      this.#tileErrors.clear();
    }
    if (!equalBytes(walk.root(), root)) {
      findings.add('root_differs', `size ${size}`, hashHex(root), hashHex(walk.root()));
      return;
    }
    await this.#hold(walk, findings);
    following.held = size;
  }

  /**
   * Holds the newest head against the keys that its entries bring, which may have ended the one that signed it. Such a head
   * is taken back, with a finding.
   */
  async #hold(walk: LogWalk, findings: Findings): Promise<void> {
    const { environment, policy } = this.#session;
    const head = this.#head;
    if (head === undefined || head.checkpoint.size !== walk.size) return;
    const open = openCheckpoint(head.note, findings);
    if (open === undefined) return;
    const terms = checkpointTerms(walk.views);
    const vkeys = terms.map(({ vkey }) => vkey);
    const before = findings.count;
    requireNamedKeys(vkeys, policy, undefined, findings);
    const keys = new LogKeys(terms, environment.sha256).of(walk.size);
    const unnamed = new NotCheckedList();
    await checkSignatures(open, keys, policy, environment, findings, unnamed);
    if (this.#keys.every(({ vkey }, i) => vkey === (vkeys[i] ?? vkey))) {
      if (terms.length > this.#keys.length) this.#keys = terms;
    }
    if (findings.count > before) this.#takenBack = head;
    else this.#walked = terms;
    if (findings.count > 0) this.#head = this.#held;
    else this.#held = head;
  }
}

/** What an earlier watch left of a log. */
interface KeptLog {
  readonly pin: Pin;
  readonly named: boolean;
  readonly head: Head;
}

/**
 * The checkpoint keys of a log as its first address shows them: that of genesis where the policy and the pin name no
 * other one and it signs the head, and else those that lead to the head. A key that is not trusted is a finding.
 */
async function keysAtFirst(
  session: Session,
  reader: LogReader,
  open: OpenCheckpoint,
  trusted: TrustedKey,
  pin: Pin | undefined,
): Promise<readonly CheckpointTerm[]> {
  const { policy, findings, environment } = session;
  const first = firstTerms(trusted.genesis);
  const scratch = new Findings();
  requireNamedKeys([trusted.vkey], policy, pin, scratch);
  const isSigned = await hasLineOf(open, [trusted.key], environment);
  if (scratch.count === 0 && isSigned) return first;
  const judged = await judgedAt({ session, reader }, open, trusted, { pin, findings });
  if (judged !== undefined) return judged.keys;
  requireNamedKeys([trusted.vkey], policy, pin, findings);
  return first;
}

/**
 * Judges a head by what an address shows of the log's keys; undefined where it shows that none was replaced. Throws as
 * `servedKeys` does.
 */
async function judgedAt(
  { session, reader }: { readonly session: Session; readonly reader: LogReader },
  open: OpenCheckpoint,
  trusted: TrustedKey,
  { pin, findings }: { readonly pin: PinnedKey | undefined; readonly findings: Findings },
): Promise<{ readonly keys: readonly CheckpointTerm[]; readonly good: number } | undefined> {
  const { environment, policy } = session;
  if ((await reader.get(closingHeadPath(0))).status !== 200) return undefined;
  const before = findings.count;
  const source = { reader, tiles: tilesOf(reader) };
  const believed = believedKeys(policy, pin, trusted);
  const path = await servedKeys(source, open, believed, environment, findings);
  if (path === undefined) return { keys: firstTerms(trusted.genesis), good: 0 };
  const isPath = findings.count === before;
  const unnamed = new NotCheckedList();
  const by = { policy, pin };
  const { good } = await judgeHead(open, trusted, path, by, environment, findings, unnamed);
  if (findings.count === before) return { keys: path.terms, good };
  // Whoever shows keys that do not follow from those of the log has signed with none of them. Where they follow from what
  // is believed without the pin, the pinned head is at fault, which a thief may have signed.
  const alone = new Findings();
  const free = { policy, pin: undefined };
  if (isPath) await judgeHead(open, trusted, path, free, environment, alone, unnamed);
  return { keys: path.terms, good: isPath && alone.count === 0 ? good : 0 };
}

/** Whether a head has a good line of one of these keys. */
async function hasLineOf(
  { note }: OpenCheckpoint,
  keys: readonly NoteKey[],
  environment: Environment,
): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(note, key, environment)) return true;
  return false;
}

/** Whether a finding is about missing bytes, which may be there another time. */
export function isMissing({ code }: Finding): boolean {
  return code === 'blob_missing' || code === 'entry_missing' || code === 'tile_missing';
}

/** The tiles of a log, from its reader. Throws `not_found` for one that is missing. */
export function tilesOf(reader: LogReader): ReadTile {
  return async (tile) => {
    const path = formatTilePath(tile);
    const { status, body } = await reader.get(`/${path}`);
    if (status !== 200) throw new Fault('not_found', 'hash tile', { at: path, found: `${status}` });
    return body;
  };
}

/** The closing head of a key as an address has it, with its tiles from a larger head; undefined where it has none. */
async function closingHead(
  reader: LogReader,
  { number }: CheckpointTerm,
  { checkpoint: { size }, tiles }: Head,
): Promise<Head | undefined> {
  const answer = await reader.get(closingHeadPath(number)).catch(() => undefined);
  if (answer?.status !== 200) return undefined;
  const open = openCheckpoint(answer.body, new Findings());
  if (open === undefined || open.checkpoint.size > size) return undefined;
  return { note: answer.body, checkpoint: open.checkpoint, tiles: tilesBefore(tiles, size) };
}

/** The tiles of a smaller tree, which are the beginnings of those of one of `size` that extends it. */
function tilesBefore(tiles: ReadTile, size: number): ReadTile {
  return async (tile) => {
    const width = Math.min(TILE_WIDTH, levelLength(tile.level, size) - tile.index * TILE_WIDTH);
    return (await tiles({ ...tile, width })).slice(0, tile.width * HASH_BYTES);
  };
}

/** The same tiles, and none once a time limit has passed: throws `timeout` then. */
function tilesWithin(tiles: ReadTile, signal: Limits['signal']): ReadTile {
  const check = (): void => {
    if (signal.aborted) throw new Fault('timeout', 'hash tile', { found: 'its turn is over' });
  };
  return async (tile) => {
    check();
    const bytes = await tiles(tile);
    check();
    return bytes;
  };
}

function nothing({ environment, findings, notChecked, tally, work }: Session): {
  readonly evidence: EvidenceReader;
  readonly findings: Findings;
  readonly notChecked: NotCheckedList;
  readonly tally: Session['tally'];
  readonly work: Session['work'];
} {
  const none = (): Promise<undefined> => Promise.resolve(undefined);
  const evidence = new EvidenceReader(none, environment, findings, tally, work);
  return { evidence, findings, notChecked, tally, work };
}
