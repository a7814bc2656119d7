import { faultCode, messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { blobsOf, type NamedBlob, pagesOf } from '../blob/named-blobs.ts';

/** What is read for the blobs that a log names. */
export interface BlobFollowerParts {
  readonly sha256: Sha256;
  readonly entry: (seq: number) => Promise<Uint8Array | undefined>;
  /** The blob that entry `seq` names, from here or from the publisher, and kept here then. Throws if there is none to be had. */
  readonly blob: (hash: HashHex, seq: number) => Promise<Uint8Array>;
}

/** How many that are missing are tried again at each poll. */
const MAX_TRIED = 64;

/** Follows the blobs that entries name: those of new entries, and again those that could not be had before. */
export class BlobFollower {
  readonly #parts: BlobFollowerParts;
  readonly #parseBody: ReturnType<typeof bodyParser>;
  /** Each with the entry that names it. */
  readonly #missing = new Map<HashHex, { readonly named: NamedBlob; readonly seq: number }>();
  #done = 0;
  #reason: string | undefined;

  constructor(parts: BlobFollowerParts) {
    this.#parts = parts;
    this.#parseBody = bodyParser(parts.sha256);
  }

  /** How many entries have been looked at. */
  get done(): number {
    return this.#done;
  }

  /** How many blobs are named and are not here. */
  get missing(): number {
    return this.#missing.size;
  }

  /** Why the last one could not be had. */
  get reason(): string | undefined {
    return this.#missing.size === 0 ? undefined : this.#reason;
  }

  /** Looks at the entries below `size` that it has not seen. Throws what a disk throws. */
  async follow(size: number, signal: AbortSignal): Promise<void> {
    for (const { named, seq } of [...this.#missing.values()].slice(0, MAX_TRIED)) {
      if (signal.aborted) return;
      await this.#fetch(named, seq);
    }
    for (; this.#done < size && !signal.aborted; this.#done += 1) {
      const bytes = await this.#parts.entry(this.#done);
      if (bytes === undefined) return;
      for (const each of this.#namedIn(bytes)) await this.#fetch(each, this.#done);
    }
  }

  #namedIn(bytes: Uint8Array): readonly NamedBlob[] {
    return namedBlobs(this.#parseBody, bytes);
  }

  async #fetch(named: NamedBlob, seq: number): Promise<void> {
    const { hash, role } = named;
    try {
      const bytes = await this.#parts.blob(hash, seq);
      this.#missing.delete(hash);
      if (role === 'manifest') for (const page of pagesOf(bytes)) await this.#fetch(page, seq);
    } catch (error) {
      // What is not to be had now is asked for again; anything else is a fault of this machine.
      if (!UNHAD.has(faultCode(error) ?? '')) throw error;
      // To the end, so that one that cannot be had keeps no other from its turn.
      this.#missing.delete(hash);
      this.#missing.set(hash, { named, seq });
      this.#reason = messageOf(error);
    }
  }
}

const UNHAD: ReadonlySet<string> = new Set([
  'blob_missing',
  'blob_differs',
  'unreachable',
  'timeout',
  'too_large',
]);

/** The blobs that an entry names, but for those that their manifests name. */
export function namedBlobs(
  parseBody: ReturnType<typeof bodyParser>,
  bytes: Uint8Array,
): readonly NamedBlob[] {
  const layout = scanEntry(bytes);
  const known = parseBody(layout.kind, entryBody(bytes, layout));
  return known === undefined ? [] : blobsOf(known);
}
