import { equalBytes } from '@assay/core/bytes/bytes';
import { forkEvidence, type ForkEvidence } from '@assay/core/proof/evidence';
import { faultCode, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatNoteKey, type NoteKey } from '@assay/core/log/note';
import type { FetchNote, HeadWitness } from '../witness/client/mirror-heads.ts';
import type { TileHashes } from '../ledger/tree-reader.ts';
import { extensionFork } from '../mirror/fork-proof.ts';
import { type MirroredNote, openMirrored } from '../mirror/mirrored-note.ts';
import { originHex } from '../witness/server/file-witness-memory.ts';

/** A head that the log's own key signed, and who holds it. */
export interface KnownHead {
  readonly holder: string;
  readonly head: MirroredNote;
  /**
   * `live`: another machine holds it now. `copy`: it is in what was written at one time. `own`: only the
   * machine that is restored holds it, so that nobody else need know of it.
   */
  readonly held: 'live' | 'copy' | 'own';
}

/** A place that gave no head of the log, and why. */
export interface SilentHolder {
  readonly holder: string;
  readonly reason: string;
}

/** Those who are asked for the newest head. */
export interface HeadHolders {
  readonly mirrors: readonly string[];
  readonly witnesses: readonly HeadWitness[];
  readonly fetchNote: FetchNote;
}

/** Asks mirrors and witnesses for heads. Only what the key has signed counts. */
export async function askHolders(
  key: NoteKey,
  { mirrors, witnesses, fetchNote }: HeadHolders,
): Promise<{ readonly heads: readonly KnownHead[]; readonly silent: readonly SilentHolder[] }> {
  const places = [
    ...mirrors.map((url) => ({
      holder: `the mirror ${url}`,
      url: `${url.replace(/\/+$/, '')}/checkpoint`,
    })),
    ...witnesses.map(({ url }) => ({
      holder: `the witness ${url}`,
      url: `${url.replace(/\/+$/, '')}/${originHex(key.name)}/checkpoint`,
    })),
  ];
  const heads: KnownHead[] = [];
  const silent: SilentHolder[] = [];
  await Promise.all(
    places.map(async ({ holder, url }) => {
      try {
        heads.push({ holder, head: openMirrored(key, await fetchNote(url)), held: 'live' });
      } catch (error) {
        const reason =
          faultCode(error) === 'not_found' ? 'it has no head of this log' : messageOf(error);
        silent.push({ holder, reason });
      }
    }),
  );
  return { heads, silent };
}

/** The checked tiles of a tree, and its size. */
export interface KnownTree {
  readonly size: number;
  readonly hashes: TileHashes;
}

/** Two heads that no log can both have. */
export interface Contradiction {
  readonly first: KnownHead;
  readonly second: KnownHead;
  readonly evidence: ForkEvidence;
}

/**
 * Two of the heads that exclude each other, as far as one of the trees proves it; undefined if none do. For two
 * heads of one size the roots are enough.
 */
export async function findFork(
  sha256: Sha256,
  key: NoteKey,
  heads: readonly KnownHead[],
  trees: readonly KnownTree[],
): Promise<Contradiction | undefined> {
  const vkey = formatNoteKey(sha256, key.name, key.publicKey);
  const ordered = heads.toSorted((a, b) => sizeOf(a) - sizeOf(b));
  for (const [i, second] of ordered.entries()) {
    const tree = trees.find(({ size }) => size === sizeOf(second));
    for (const first of ordered.slice(0, i)) {
      if (sizeOf(first) === 0) continue;
      let evidence: ForkEvidence | undefined;
      if (sizeOf(first) === sizeOf(second)) {
        const isSame = equalBytes(first.head.checkpoint.root, second.head.checkpoint.root);
        evidence = isSame ? undefined : sameSize(sha256, vkey, first, second);
      } else if (tree !== undefined) {
        // Without entry 0: whoever checks the file names the key.
        const stored = { size: 0, hashes: tree.hashes, entry: () => Promise.resolve(undefined) };
        evidence = await extensionFork(sha256, vkey, stored, first.head, second.head, tree.hashes);
      }
      if (evidence !== undefined) return { first, second, evidence };
    }
  }
  return undefined;
}

function sameSize(
  sha256: Sha256,
  vkey: string,
  first: KnownHead,
  second: KnownHead,
): ForkEvidence | undefined {
  return forkEvidence(sha256, {
    genesis: null,
    vkey,
    first: first.head.bytes,
    second: second.head.bytes,
    consistency: null,
  });
}

function sizeOf({ head }: KnownHead): number {
  return head.checkpoint.size;
}
