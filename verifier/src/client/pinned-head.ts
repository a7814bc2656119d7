import { equalBytes } from '@assay/core/bytes/bytes';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { leafHash } from '@assay/core/hash/hash';
import type { Genesis } from '@assay/core/kind/genesis';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { parseEntryBundle, TILE_WIDTH } from '@assay/core/log/tile';
import { verifyInclusion } from '@assay/core/log/tree';
import { type CheckpointTerm, termOf } from '@assay/core/view/key/checkpoint-keys';
import type { LogReader } from '../reader/log-reader.ts';
import { inclusionProof, type ReadTile } from '../reader/tile-proofs.ts';
import { checkSignatures, type OpenCheckpoint, openCheckpoint } from '../trust/checkpoint-check.ts';
import { listedWithin, servedKeys } from '../subject/served-keys.ts';
import { believedKeys, firstTerms, judgeHead } from '../trust/key-path.ts';
import { isSignedBy } from '../trust/signed-note.ts';
import { requireNamedKeys, type TrustedKey, trustLog } from '../trust/trust.ts';
import { closingHeadPath, LogKeys } from '../trust/closing-head.ts';
import { checkWitnesses } from '../trust/witness-check.ts';
import type { Environment } from '../verdict/environment.ts';
import { Findings } from '../verdict/finding.ts';
import type { Policy } from '../verdict/policy.ts';
import { NotCheckedList } from '../verdict/verdict.ts';
import { compareHeads, type Head } from '../watch/head-compare.ts';

/** What is kept under a name; nothing where there is none. */
type Kept = string | null | undefined;

/** Where the newest head that was seen is kept. The `localStorage` of a browser is one. */
export interface PinStorage {
  readonly getItem: (name: string) => Kept | Promise<Kept>;
  readonly setItem: (name: string, text: string) => void | Promise<void>;
}

/** Whose head it is, and how it is checked. */
export interface HeadTerms {
  /** The verifier key that was named, which may be any checkpoint key of the log. */
  readonly vkey: string;
  readonly policy: Policy;
  readonly environment: Environment;
  readonly tiles: ReadTile;
  /** Where the closing heads and the list of the log's keys are served. */
  readonly reader: Pick<LogReader, 'get'>;
  readonly storage: PinStorage;
  /** The clock, in Unix seconds. */
  readonly now: () => number;
}

/** A head that was accepted, and the first entry of its log. */
export interface AcceptedHead {
  readonly checkpoint: Checkpoint;
  readonly genesis: Genesis;
}

interface SignedHead extends Head {
  readonly open: OpenCheckpoint;
  /** The key in force for its size. */
  readonly vkey: string;
  /** The keys of the log up to it; undefined where they were followed at an earlier visit. */
  readonly keys: readonly CheckpointTerm[] | undefined;
  /** Entries of keys under it as far as they are known, which a later head must still show. */
  readonly seqs: readonly number[];
}

/** What the storage has, and the head in it. */
interface StoredHead {
  readonly text: Kept;
  readonly head: SignedHead | undefined;
}

/**
 * The newest head of one log that was seen, as its signed note. A head takes its place only where a consistency proof
 * (RFC 6962, 2.1.2) leads from the one to the other, and where it has the witnesses that the policy requires.
 */
export class PinnedHead {
  readonly #terms: HeadTerms;
  readonly #name: string;
  #log: TrustedKey | undefined;
  /** The keys of the log that were followed to the newest head. */
  #keys: readonly CheckpointTerm[] | undefined;
  /** The newest head that was accepted here, whatever the storage has made of it since. */
  #newest: SignedHead | undefined;
  /** One head is compared at a time, so that two requests cannot pin two histories. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(terms: HeadTerms) {
    this.#terms = terms;
    this.#name = `assay-head/1 ${terms.vkey}`;
  }

  /** The size of the pinned head; 0 where there is none. Throws `bad_note` where what is kept is not such a head. */
  async size(): Promise<number> {
    const { head } = await this.#stored();
    return Math.max(head?.checkpoint.size ?? 0, this.#newest?.checkpoint.size ?? 0);
  }

  /**
   * Pins a head, unless it is not signed, lacks witnesses or does not continue the pinned one: then findings say so.
   * `least` is the size that was pinned before the head was asked for. Throws `bad_proof` and as the tiles do where the
   * log's first entry is not shown to be in it.
   */
  async accept(
    note: Uint8Array,
    least: number,
    findings: Findings,
  ): Promise<AcceptedHead | undefined> {
    const run = this.#last.then(() => this.#accept(note, least, findings));
    this.#last = run.catch(() => undefined);
    return await run;
  }

  async #accept(
    note: Uint8Array,
    least: number,
    findings: Findings,
  ): Promise<AcceptedHead | undefined> {
    const open = openCheckpoint(note, findings);
    if (open === undefined) return undefined;
    const { checkpoint } = open;
    if (checkpoint.size < least) {
      const expected = `at least ${least} entries, pinned`;
      findings.add('log_shrunk', 'checkpoint', expected, `${checkpoint.size}`);
      return undefined;
    }
    const stored = await this.#stored();
    const before = this.#newest ?? stored.head;
    let head = await this.#signed(note, open, before, findings);
    if (head === undefined) return undefined;
    for (const kept of [stored.head, this.#newest]) {
      if (kept !== undefined && !(await this.#continues(kept, head, findings))) return undefined;
    }
    const log = await this.#logOf(checkpoint, findings);
    if (log === undefined) return undefined;
    const { genesis } = log;
    if (!(await this.#isWitnessed(head, genesis, findings))) return undefined;
    if (stored.head === undefined || stored.head.checkpoint.size < checkpoint.size) {
      const { storage, vkey, reader } = this.#terms;
      const seqs = await listedWithin(
        reader,
        [...head.seqs, ...(before?.seqs ?? [])],
        checkpoint.size,
      );
      head = { ...head, seqs };
      const now = storage.getItem(this.#name);
      // What answers at once, such as a browser's, is not waited for: nobody else writes in between.
      const text = typeof now === 'object' && now !== null ? await now : now;
      // Another client of the storage has pinned a head meanwhile, which this one must continue too.
      if (text !== stored.text) return await this.#accept(note, least, findings);
      await storage.setItem(this.#name, formatStored(parseUtf8(note), head, vkey));
    }
    this.#log = log;
    if (head.keys !== undefined && head.keys.length > (this.#keys?.length ?? 1)) {
      this.#keys = head.keys;
    }
    if (this.#newest === undefined || this.#newest.checkpoint.size < checkpoint.size) {
      this.#newest = head;
    }
    return { checkpoint, genesis };
  }

  async #continues(kept: Head, head: Head, findings: Findings): Promise<boolean> {
    const isSame =
      kept.checkpoint.size === head.checkpoint.size &&
      equalBytes(kept.checkpoint.root, head.checkpoint.root);
    if (isSame) return true;
    const { sha256 } = this.#terms.environment;
    // It is a finding alone, which needs no key that signed both.
    const found = await compareHeads(kept, head, () => Promise.resolve(undefined), sha256);
    const place = `size ${kept.checkpoint.size}`;
    const expected = 'a log that continues the pinned head';
    switch (found.outcome) {
      case 'consistent':
        return true;
      case 'fork':
        findings.add(
          'history_changed',
          place,
          expected,
          'a head over others that a key of the log signed',
        );
        return false;
      case 'bad_tiles':
        findings.add('tile_differs', place, expected, found.reason);
        return false;
      case 'unknown':
        findings.add('tile_missing', place, expected, found.reason);
        return false;
    }
  }

  /** What the log's first entry says, proven to be in this head; undefined with a finding for that of another log. */
  async #logOf({ size, root }: Checkpoint, findings: Findings): Promise<TrustedKey | undefined> {
    if (this.#log !== undefined) return this.#log;
    const { environment, policy, tiles } = this.#terms;
    const { sha256 } = environment;
    const width = Math.min(TILE_WIDTH, size);
    const [bytes] = parseEntryBundle(await tiles({ level: 'entries', index: 0, width }), width);
    if (bytes === undefined) throw new Fault('not_found', 'entry', { expected: 'entry 0' });
    const proof = await inclusionProof(tiles, sha256, 0, size);
    verifyInclusion(sha256, leafHash(sha256, bytes), 0, size, proof, root);
    const before = findings.count;
    const log = trustLog(bytes, policy, undefined, environment, findings);
    return findings.count > before ? undefined : log;
  }

  async #isWitnessed({ open }: SignedHead, genesis: Genesis, findings: Findings): Promise<boolean> {
    const { policy, environment, now } = this.#terms;
    const before = findings.count;
    await checkWitnesses(open, { policy, genesis, now: now() }, environment, findings);
    return findings.count === before;
  }

  /**
   * A head with the signatures that its size asks for. One that is not of a key that is known already is judged by what
   * its server shows of the log's keys, from the key of the newest head that was accepted.
   */
  async #signed(
    note: Uint8Array,
    open: OpenCheckpoint,
    kept: SignedHead | undefined,
    findings: Findings,
  ): Promise<SignedHead | undefined> {
    const { vkey, policy, environment, tiles } = this.#terms;
    const { checkpoint } = open;
    const before = findings.count;
    const terms = this.#keys ?? firstTerms({ checkpoint_vkey: vkey });
    const keys = new LogKeys(terms, environment.sha256).of(Math.max(1, checkpoint.size));
    const isSigned = await isSignedByAll(open, keys.signers, environment);
    const log = isSigned ? await this.#logOf(checkpoint, findings) : undefined;
    if (findings.count > before) return undefined;
    const isReplaced = kept !== undefined && kept.vkey !== vkey;
    // A head that is kept was accepted for the key that was named, or for one that it leads to.
    const isOwn = kept === undefined ? log?.vkey === vkey : !isReplaced;
    const isKnown = this.#keys !== undefined || isOwn;
    if ((!isSigned || !isKnown) && (isReplaced || (await this.#hasClosedKeys()))) {
      return await this.#judged(note, open, kept, findings);
    }
    if (log !== undefined && (!isKnown || this.#keys !== undefined || log.vkey === vkey)) {
      const vkeys = (this.#keys ?? firstTerms(log.genesis)).map((each) => each.vkey);
      requireNamedKeys(vkeys, policy, undefined, findings);
    }
    const others = new NotCheckedList();
    await checkSignatures(open, keys, policy, environment, findings, others);
    if (findings.count > before) return undefined;
    const own = termOf(terms, checkpoint.size)?.vkey ?? vkey;
    return { note, checkpoint, tiles, open, vkey: own, keys: terms, seqs: [] };
  }

  /** Whether the log says that a checkpoint key of its was replaced. */
  async #hasClosedKeys(): Promise<boolean> {
    const { status } = await this.#terms.reader.get(closingHeadPath(0));
    return status === 200;
  }

  async #judged(
    note: Uint8Array,
    open: OpenCheckpoint,
    kept: SignedHead | undefined,
    findings: Findings,
  ): Promise<SignedHead | undefined> {
    const { policy, environment, reader, tiles } = this.#terms;
    const { checkpoint } = open;
    const before = findings.count;
    const log = await this.#logOf(checkpoint, findings);
    if (log === undefined) return undefined;
    const pin = kept && { checkpoint_vkey: kept.vkey, size: kept.checkpoint.size };
    const believed = believedKeys(policy, pin, log);
    const path = await servedKeys(
      { reader, tiles },
      open,
      believed,
      environment,
      findings,
      kept?.seqs,
    );
    if (path === undefined) return undefined;
    const { trusted } = await judgeHead(
      open,
      log,
      // Whether it continues the head that is kept is checked next, and without that it is not accepted.
      { ...path, holdsPin: true },
      { policy, pin },
      environment,
      findings,
      new NotCheckedList(),
    );
    if (findings.count > before) return undefined;
    return { note, checkpoint, tiles, open, vkey: trusted.vkey, keys: path.terms, seqs: path.seqs };
  }

  /**
   * What is kept is checked like any other head, but for its witnesses, whose lines grow old, and for what led to its
   * key, which stands before it: a damaged one is an error, and never a first visit.
   */
  async #stored(): Promise<StoredHead> {
    const text = await this.#terms.storage.getItem(this.#name);
    if (text == null) return { text, head: undefined };
    const { vkey: named, policy, environment, tiles } = this.#terms;
    const findings = new Findings();
    const { note: kept, vkey, seqs } = splitStored(text, named);
    const note = formatUtf8(kept);
    const open = openCheckpoint(note, findings);
    const key = parseNoteKey(environment.sha256, vkey);
    if (open !== undefined) {
      const keys = { signers: [key], all: new Map() };
      const others = new NotCheckedList();
      const lenient = { ...policy, strict: false };
      await checkSignatures(open, keys, lenient, environment, findings, others);
    }
    if (open !== undefined && findings.count === 0) {
      const { checkpoint } = open;
      return { text, head: { note, checkpoint, tiles, open, vkey, keys: undefined, seqs } };
    }
    throw new Fault('bad_note', 'pinned head', {
      at: this.#name,
      expected: 'a signed head of this log',
      found: findings.list[0]?.found ?? 'something else',
    });
  }
}

/** Before the verifier key of a kept head whose key took the place of the one that was named. */
const KEY_LINE = 'key ';

/** Before the entries of keys under a kept head, where there are any but genesis. */
const ENTRIES_LINE = 'entries ';

/**
 * What is kept of a head: its note, below the key in force for it where that is not the one that was named, and below the
 * entries of keys that it has.
 */
function formatStored(
  note: string,
  { vkey, seqs }: Pick<SignedHead, 'vkey' | 'seqs'>,
  named: string,
): string {
  const later = seqs.filter((seq) => seq > 0);
  const key = vkey === named ? '' : `${KEY_LINE}${vkey}\n`;
  return `${key}${later.length === 0 ? '' : `${ENTRIES_LINE}${later.join(' ')}\n`}${note}`;
}

function splitStored(
  text: string,
  named: string,
): { readonly note: string; readonly vkey: string; readonly seqs: readonly number[] } {
  const [vkey, below] = splitLine(text, KEY_LINE);
  const [seqs, note] = splitLine(below, ENTRIES_LINE);
  const kept = (seqs ?? '').split(' ').map(Number);
  return {
    note,
    vkey: vkey ?? named,
    seqs: kept.filter((seq) => Number.isSafeInteger(seq) && seq > 0),
  };
}

/** The rest of a first line that begins with `start`, and what is below it; without such a line the whole text. */
function splitLine(text: string, start: string): readonly [string | undefined, string] {
  if (!text.startsWith(start)) return [undefined, text];
  const end = text.indexOf('\n');
  return [text.slice(start.length, end), text.slice(end + 1)];
}

async function isSignedByAll(
  { note }: OpenCheckpoint,
  keys: readonly NoteKey[],
  environment: Environment,
): Promise<boolean> {
  for (const key of keys) if (!(await isSignedBy(note, key, environment))) return false;
  return keys.length > 0;
}
