import { type HashHex, hashHex, contentHash } from '@assay/core/hash';
import { parseSnapshot, type Snapshot } from '@assay/core/snapshot';
import { messageOf } from '@assay/core/fault';
import type { PageBytes } from '@assay/core/reading';
import type { Environment } from './environment.ts';
import type { Findings } from './finding.ts';
import type { Tally } from './verdict.ts';

/** Gives the bytes that are kept under a hash; undefined where there are none. Not believed. */
export type BlobReader = (hash: HashHex) => Promise<Uint8Array | undefined>;

/** A manifest and, where they are kept, its pages. */
export interface Evidence {
  readonly snapshot: Snapshot;
  /** Undefined where the terms let the log keep no bytes. */
  readonly pages: readonly PageBytes[] | undefined;
}

/** Evidence kept in memory for neighbours that name the same; a few rounds read the same bytes. */
const MAX_KEPT = 64;

/** Fetches manifests and pages, and checks each against its hash. */
export class EvidenceReader {
  readonly #read: BlobReader;
  readonly #environment: Environment;
  readonly #findings: Findings;
  readonly #tally: Tally;
  readonly #kept = new Map<HashHex, Promise<Evidence | undefined>>();

  constructor(read: BlobReader, environment: Environment, findings: Findings, tally: Tally) {
    this.#read = read;
    this.#environment = environment;
    this.#findings = findings;
    this.#tally = tally;
  }

  /** Starts a fetch that will be asked for soon. */
  prefetch(hash: HashHex): void {
    void this.evidence(hash).catch(() => undefined);
  }

  /** The evidence under a manifest's hash; undefined with findings where it is not whole. */
  evidence(hash: HashHex): Promise<Evidence | undefined> {
    let kept = this.#kept.get(hash);
    if (kept === undefined) {
      kept = this.#load(hash);
      this.#kept.set(hash, kept);
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    }
    return kept;
  }

  async #load(hash: HashHex): Promise<Evidence | undefined> {
    const manifest = await this.#blob(hash, `snapshot ${hash}`);
    if (manifest === undefined) return undefined;
    let snapshot: Snapshot;
    try {
      snapshot = parseSnapshot(manifest);
    } catch (error) {
      this.#findings.add('snapshot_malformed', `blob ${hash}`, 'a snapshot', messageOf(error));
      return undefined;
    }
    if (snapshot.retain !== 'bytes') return { snapshot, pages: undefined };
    const pages: PageBytes[] = [];
    for (const { sha256, status, length } of snapshot.pages) {
      const bytes = await this.#blob(sha256, `page of snapshot ${hash}`);
      if (bytes === undefined) return undefined;
      if (bytes.length !== length) {
        this.#findings.add('blob_differs', `blob ${sha256}`, `${length} bytes`, `${bytes.length}`);
        return undefined;
      }
      pages.push({ status, bytes });
    }
    return { snapshot, pages };
  }

  async #blob(hash: HashHex, place: string): Promise<Uint8Array | undefined> {
    const bytes = await this.#read(hash);
    if (bytes === undefined) {
      this.#findings.add('blob_missing', place, `the bytes of ${hash}`, 'none');
      return undefined;
    }
    const found = hashHex(contentHash(this.#environment.sha256, bytes));
    if (found !== hash) {
      this.#findings.add('blob_differs', `blob ${hash}`, hash, found);
      return undefined;
    }
    this.#tally.blobs += 1;
    return bytes;
  }
}
