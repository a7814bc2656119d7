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

interface Kept {
  readonly evidence: Promise<Evidence | undefined>;
  /** Whether it was fetched ahead and nobody has asked for it yet. */
  ahead: boolean;
  bytes: number;
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
  readonly #waiting = new Set<HashHex>();
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
    this.answers = new Answers(work);
    this.#environment = environment;
    this.#findings = findings;
    this.#tally = tally;
  }

  /** The functions of the environment that reading evidence needs. */
  get tools(): Pick<Environment, 'sha256' | 'extractText'> {
    return this.#environment;
  }

  /** Announces that a manifest will be asked for soon. It is fetched ahead as far as there is room. */
  prefetch(hash: HashHex): void {
    if (this.#kept.has(hash) || this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.add(hash);
    this.#fetchAhead();
  }

  /** The evidence under a manifest's hash; undefined with findings where it is incomplete. */
  evidence(hash: HashHex): Promise<Evidence | undefined> {
    this.#waiting.delete(hash);
    const kept = this.#kept.get(hash) ?? this.#keep(hash, false);
    kept.ahead = false;
    this.#kept.delete(hash);
    this.#kept.set(hash, kept);
    this.#fetchAhead();
    return kept.evidence;
  }

  #fetchAhead(): void {
    for (const hash of this.#waiting) {
      let ahead = 0;
      for (const kept of this.#kept.values()) if (kept.ahead) ahead += 1;
      const room = ahead < MAX_KEPT / 2 && this.#bytes < MAX_KEPT_BYTES;
      if (!room || this.#fetching >= MAX_AHEAD) return;
      this.#waiting.delete(hash);
      const { evidence } = this.#keep(hash, true);
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
    const kept: Kept = { evidence: this.#load(hash), ahead, bytes: 0 };
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

  async #load(hash: HashHex): Promise<Evidence | undefined> {
    const manifest = await this.bytes(hash, `snapshot ${hash}`);
    if (manifest === undefined) return undefined;
    let snapshot: Snapshot;
    try {
      snapshot = parseSnapshot(manifest, this.#work);
    } catch (error) {
      this.#findings.add('snapshot_malformed', `blob ${hash}`, 'a snapshot', messageOf(error));
      return undefined;
    }
    if (snapshot.retain !== 'bytes') return { snapshot, pages: undefined, text: null };
    const total = snapshot.pages.reduce((sum, { length }) => sum + length, 0);
    if (total > MAX_READ_BYTES) {
      const most = `pages of at most ${MAX_READ_BYTES} bytes`;
      this.#findings.add('snapshot_malformed', `blob ${hash}`, most, `${total}`);
      return undefined;
    }
    const pages: PageBytes[] = [];
    for (const { sha256, status, length } of snapshot.pages) {
      const bytes = await this.bytes(sha256, `page of snapshot ${hash}`);
      if (bytes === undefined) return undefined;
      if (bytes.length !== length) {
        this.#findings.add('blob_differs', `blob ${sha256}`, `${length} bytes`, `${bytes.length}`);
        return undefined;
      }
      pages.push({ status, bytes });
    }
    if (snapshot.extractor === null) return { snapshot, pages, text: null };
    const text = await this.bytes(snapshot.extractor.text_sha256, `text of snapshot ${hash}`);
    if (text === undefined) return undefined;
    if (total + text.length > MAX_READ_BYTES) {
      const most = `pages and text of at most ${MAX_READ_BYTES} bytes`;
      this.#findings.add('snapshot_malformed', `blob ${hash}`, most, `${total + text.length}`);
      return undefined;
    }
    return { snapshot, pages, text };
  }

  /** The bytes under a hash, checked but not kept; undefined with a finding where there are none. */
  async bytes(hash: HashHex, place: string): Promise<Uint8Array | undefined> {
    let bytes = await this.#read(hash);
    let found = this.#hashOf(bytes);
    if (bytes !== undefined && found !== hash && this.#alone !== undefined) {
      bytes = await this.#alone(hash);
      found = this.#hashOf(bytes);
    }
    if (bytes === undefined) {
      this.#findings.add('blob_missing', place, `the bytes of ${hash}`, 'none');
      return undefined;
    }
    if (found !== hash) {
      this.#findings.add('blob_differs', `blob ${hash}`, hash, found);
      return undefined;
    }
    this.#tally.blobs += 1;
    return bytes;
  }

  #hashOf(bytes: Uint8Array | undefined): string {
    return bytes === undefined ? '' : hashHex(contentHash(this.#environment.sha256, bytes));
  }
}
