import { type HashHex, hashHex, contentHash } from '@assay/core/hash/hash';
import { parseSnapshot, type Snapshot } from '@assay/core/read/snapshot';
import { messageOf } from '@assay/core/fault';
import { MAX_READ_BYTES } from '@assay/core/limits';
import type { PageBytes } from '@assay/core/read/reading';
import type { WorkBudget } from '@assay/core/work-budget';
import { Answers } from './answers.ts';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import type { Tally } from '../verdict/verdict.ts';

/** Returns the bytes that are kept under a hash; undefined where there are none. The caller checks them. */
export type BlobReader = (hash: HashHex) => Promise<Uint8Array | undefined>;

/** A manifest, with its pages and its text where they are kept. */
export interface Evidence {
  readonly snapshot: Snapshot;
  /** Undefined where the terms let the log keep no bytes. */
  readonly pages: readonly PageBytes[] | undefined;
  /** The text that was taken from the pages and kept beside them. */
  readonly text: Uint8Array | null;
}

/** Snapshots kept in memory. Neighbouring entries name the same ones, and the next ones are fetched ahead. */
const MAX_KEPT = 64;
/** Bytes of kept snapshots, beyond which the oldest are dropped and nothing more is fetched ahead. */
const MAX_KEPT_BYTES = 134_217_728;
/** How many snapshots may be fetched ahead at once. */
const MAX_AHEAD = 8;
/** How many hashes may wait to be fetched ahead. Any beyond them are fetched when they are asked for. */
const MAX_WAITING = 4096;

/** A finding that is not added yet. */
type Held = Parameters<Findings['add']>;

interface Kept {
  readonly evidence: Promise<Evidence | undefined>;
  /** What is wrong with it, which is added when it is asked for: when it is fetched depends on how fast the rest is. */
  readonly held: Held[];
  /** Whether it was fetched ahead and nobody has asked for it yet. */
  ahead: boolean;
  bytes: number;
}

/** What is done with evidence that was fetched ahead. It must not throw. */
type Use = (evidence: Evidence) => void;

/** Gives evidence to those that wait for it, where there is any. */
function usedBy(evidence: Promise<Evidence | undefined>, uses: readonly Use[]): void {
  if (uses.length === 0) return;
  const give = (found: Evidence | undefined): void => {
    if (found !== undefined) for (const use of uses) use(found);
  };
  // Whoever asks for it gets the error.
  void evidence.then(give, () => undefined);
}

/** Fetches manifests and pages, and checks each against its hash. Its memory is bounded. */
export class EvidenceReader {
  readonly #read: BlobReader;
  readonly #alone: BlobReader | undefined;
  readonly #environment: Environment;
  readonly #findings: Findings;
  readonly #tally: Tally;
  /** What the snapshots say, once they have been read. */
  readonly answers: Answers;
  /** Least recently used first. */
  readonly #kept = new Map<HashHex, Kept>();
  readonly #work: WorkBudget;
  /** Hashes to be fetched ahead, and what is to be done with the evidence under each. */
  readonly #waiting = new Map<HashHex, Use[]>();
  #bytes = 0;
  #fetching = 0;

  /** `alone` reads a blob once more where `read` took it from a pack that had other bytes. */
  constructor(
    read: BlobReader,
    environment: Environment,
    findings: Findings,
    tally: Tally,
    work: WorkBudget,
    alone?: BlobReader,
  ) {
    this.#read = read;
    this.#alone = alone;
    this.#work = work;
    this.answers = new Answers(work, environment.readElsewhere);
    this.#environment = environment;
    this.#findings = findings;
    this.#tally = tally;
  }

  /** The functions of the environment that reading evidence needs. */
  get tools(): Pick<Environment, 'sha256' | 'extractText'> {
    return this.#environment;
  }

  /**
   * Announces that a manifest will be asked for soon. It is fetched ahead as far as there is room, and then `use` gets it,
   * unless somebody has asked for it first.
   */
  prefetch(hash: HashHex, use?: Use): void {
    const kept = this.#kept.get(hash);
    if (kept !== undefined) {
      if (use !== undefined) usedBy(kept.evidence, [use]);
      return;
    }
    const uses = this.#waiting.get(hash) ?? [];
    if (this.#waiting.size >= MAX_WAITING) return;
    if (use !== undefined) uses.push(use);
    this.#waiting.set(hash, uses);
    this.#fetchAhead();
  }

  /** The evidence under a manifest's hash; undefined with findings where it is incomplete. */
  async evidence(hash: HashHex): Promise<Evidence | undefined> {
    this.#waiting.delete(hash);
    const kept = this.#kept.get(hash) ?? this.#keep(hash, false);
    kept.ahead = false;
    this.#kept.delete(hash);
    this.#kept.set(hash, kept);
    this.#fetchAhead();
    const evidence = await kept.evidence;
    this.#report(kept);
    return evidence;
  }

  /** Adds what is wrong with snapshots that were fetched ahead and never asked for. */
  finish(): void {
    for (const kept of this.#kept.values()) this.#report(kept);
  }

  #report({ held }: Kept): void {
    for (const each of held.splice(0)) this.#findings.add(...each);
  }

  #fetchAhead(): void {
    for (const [hash, uses] of this.#waiting) {
      let ahead = 0;
      for (const kept of this.#kept.values()) if (kept.ahead) ahead += 1;
      const room = ahead < MAX_KEPT / 2 && this.#bytes < MAX_KEPT_BYTES;
      if (!room || this.#fetching >= MAX_AHEAD) return;
      this.#waiting.delete(hash);
      const { evidence } = this.#keep(hash, true);
      usedBy(evidence, uses);
      this.#fetching += 1;
      // Whoever asks for it gets the error.
      const done = (): void => {
        this.#fetching -= 1;
        this.#fetchAhead();
      };
      void evidence.then(done, done);
    }
  }

  #keep(hash: HashHex, ahead: boolean): Kept {
    const held: Held[] = [];
    const kept: Kept = { evidence: this.#load(hash, held), held, ahead, bytes: 0 };
    this.#kept.set(hash, kept);
    void kept.evidence.then(
      (evidence) => {
        if (this.#kept.get(hash) !== kept) return;
        for (const { bytes } of evidence?.pages ?? []) kept.bytes += bytes.length;
        kept.bytes += evidence?.text?.length ?? 0;
        this.#bytes += kept.bytes;
        this.#forgetOldest();
      },
      () => undefined,
    );
    this.#forgetOldest();
    return kept;
  }

  /** Drops what was asked for longest ago. What was fetched ahead is kept until it is asked for. */
  #forgetOldest(): void {
    for (const [hash, { ahead, bytes }] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT && this.#bytes <= MAX_KEPT_BYTES) return;
      if (ahead) continue;
      this.#kept.delete(hash);
      this.#bytes -= bytes;
    }
  }

  async #load(hash: HashHex, held: Held[]): Promise<Evidence | undefined> {
    const manifest = await this.#checked(hash, `snapshot ${hash}`, held);
    if (manifest === undefined) return undefined;
    let snapshot: Snapshot;
    try {
      snapshot = parseSnapshot(manifest, this.#work);
    } catch (error) {
      held.push(['snapshot_malformed', `blob ${hash}`, 'a snapshot', messageOf(error)]);
      return undefined;
    }
    if (snapshot.retain !== 'bytes') return { snapshot, pages: undefined, text: null };
    const total = snapshot.pages.reduce((sum, { length }) => sum + length, 0);
    if (total > MAX_READ_BYTES) {
      const most = `pages of at most ${MAX_READ_BYTES} bytes`;
      held.push(['snapshot_malformed', `blob ${hash}`, most, `${total}`]);
      return undefined;
    }
    const pages: PageBytes[] = [];
    for (const { sha256, status, length } of snapshot.pages) {
      const bytes = await this.#checked(sha256, `page of snapshot ${hash}`, held);
      if (bytes === undefined) return undefined;
      if (bytes.length !== length) {
        held.push(['blob_differs', `blob ${sha256}`, `${length} bytes`, `${bytes.length}`]);
        return undefined;
      }
      pages.push({ status, bytes });
    }
    if (snapshot.extractor === null) return { snapshot, pages, text: null };
    const text = await this.#checked(
      snapshot.extractor.text_sha256,
      `text of snapshot ${hash}`,
      held,
    );
    if (text === undefined) return undefined;
    if (total + text.length > MAX_READ_BYTES) {
      const most = `pages and text of at most ${MAX_READ_BYTES} bytes`;
      held.push(['snapshot_malformed', `blob ${hash}`, most, `${total + text.length}`]);
      return undefined;
    }
    return { snapshot, pages, text };
  }

  /** The bytes under a hash, checked but not kept; undefined with a finding where there are none. */
  async bytes(hash: HashHex, place: string): Promise<Uint8Array | undefined> {
    const held: Held[] = [];
    const bytes = await this.#checked(hash, place, held);
    for (const each of held) this.#findings.add(...each);
    return bytes;
  }

  async #checked(hash: HashHex, place: string, held: Held[]): Promise<Uint8Array | undefined> {
    let bytes = await this.#read(hash);
    let found = this.#hashOf(bytes);
    if (bytes !== undefined && found !== hash && this.#alone !== undefined) {
      bytes = await this.#alone(hash);
      found = this.#hashOf(bytes);
    }
    if (bytes === undefined) {
      held.push(['blob_missing', place, `the bytes of ${hash}`, 'none']);
      return undefined;
    }
    if (found !== hash) {
      held.push(['blob_differs', `blob ${hash}`, hash, found]);
      return undefined;
    }
    this.#tally.blobs += 1;
    return bytes;
  }

  #hashOf(bytes: Uint8Array | undefined): string {
    return bytes === undefined ? '' : hashHex(contentHash(this.#environment.sha256, bytes));
  }
}
