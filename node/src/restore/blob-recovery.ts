import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { faultCode, messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { ensureFolder, writeDurable } from '../platform/durable-file.ts';
import { PackedBlobStore } from '../blob/packed-blob-store.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { openingIn } from '../data/openings.ts';
import type { LackingBlob } from './backup.ts';
import { readBounded } from './bounded-file.ts';
import { blobsOf, commitmentIn, pagesOf } from '../blob/named-blobs.ts';
import { setAside } from './placement.ts';
import { openingOf, type PrivateFile } from './private-files.ts';
import { MAX_NOTE_BYTES, type Restoration, noteFault } from './restoration.ts';

/** Restores what entries name, each by its hash or commitment. */
export async function restoreBlobs(
  restoration: Restoration,
  store: LedgerStore,
  aside: string,
): Promise<{
  readonly there: number;
  readonly restored: number;
  readonly lacking: readonly LackingBlob[];
  readonly openingsThere: number;
  readonly openingsRestored: number;
  readonly openingsLacking: readonly HashHex[];
  /** Classes and days with ticks, such as `crypto/2026-11-22`. */
  readonly days: ReadonlySet<string>;
  readonly movedAside: boolean;
}> {
  const { sha256, data, progress } = restoration.parts;
  const blobs = await PackedBlobStore.open(restoration.folder.blobs);
  const named = new Map<HashHex, LackingBlob>();
  const commitments = new Set<HashHex>();
  const days = new Set<string>();
  const parseBody = bodyParser(sha256);
  let seq = 0;
  for await (const bytes of store.entries(0, Number.MAX_SAFE_INTEGER)) {
    const layout = scanEntry(bytes);
    const known = parseBody(layout.kind, entryBody(bytes, layout));
    if (known !== undefined) {
      for (const each of blobsOf(known)) {
        if (!named.has(each.hash)) named.set(each.hash, { ...each, seq });
      }
      const commitment = commitmentIn(known);
      if (commitment !== undefined) commitments.add(commitment);
      if (known.kind === 'tick/1') days.add(`${known.body.class}/${known.body.ts.slice(0, 10)}`);
    }
    seq += 1;
  }
  let [there, restored, movedAside] = [0, 0, false];
  const lacking: LackingBlob[] = [];
  /** Takes one of the blobs, and then those that it names, which are in the pack of the same entry. */
  const take = async (each: LackingBlob): Promise<void> => {
    const { hash } = each;
    const own = await blobs.get(hash).catch((error: unknown) => {
      if (faultCode(error) === 'blob_differs') return null;
      throw error;
    });
    let bytes = own ?? undefined;
    if (bytes === undefined) {
      bytes = await blobElsewhere(restoration, each);
      if (bytes !== undefined) {
        // What a pack has of it stays there, behind the new bytes.
        const file = join('blobs', hash.slice(0, 2), hash);
        if (own === null && (await isThere(join(data, file)))) {
          await setAside(data, aside, file);
          movedAside = true;
        }
        await blobs.put(bytes);
        restored += 1;
      }
    } else {
      there += 1;
    }
    if (bytes === undefined) lacking.push(each);
    progress?.(there + restored + lacking.length, named.size, 'blobs');
    if (bytes === undefined || each.role !== 'manifest') return;
    for (const page of pagesOf(bytes)) {
      if (named.has(page.hash)) continue;
      const of = { ...page, seq: each.seq };
      named.set(page.hash, of);
      await take(of);
    }
  };
  const byEntries = [...named.values()];
  for (const each of byEntries) await take(each);
  const openings = await restoreOpenings(restoration, commitments, aside);
  return {
    there,
    restored,
    lacking,
    ...openings,
    days,
    movedAside: movedAside || openings.movedAside,
  };
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function blobElsewhere(
  restoration: Restoration,
  { hash, seq }: LackingBlob,
): Promise<Uint8Array | undefined> {
  const { sha256 } = restoration.parts;
  for (const result of restoration.results) {
    try {
      const bytes = await result.source?.blob(hash, seq);
      if (bytes === undefined) continue;
      const found = hashHex(contentHash(sha256, bytes));
      if (found === hash) return bytes;
      noteFault(result, `the blob ${hash} has the hash ${found}`);
    } catch (error) {
      noteFault(result, messageOf(error));
    }
  }
  return undefined;
}

async function restoreOpenings(
  restoration: Restoration,
  commitments: ReadonlySet<HashHex>,
  aside: string,
): Promise<{
  readonly openingsThere: number;
  readonly openingsRestored: number;
  readonly openingsLacking: readonly HashHex[];
  readonly movedAside: boolean;
}> {
  const { sha256, data } = restoration.parts;
  const elsewhere = new Map<HashHex, PrivateFile[]>();
  for (const source of restoration.sources) {
    if (source.name === data) continue;
    for (const file of await source.privates()) {
      const commitment = openingOf(file.path);
      if (commitment === undefined) continue;
      elsewhere.set(commitment, [...(elsewhere.get(commitment) ?? []), file]);
    }
  }
  let [openingsThere, openingsRestored, movedAside] = [0, 0, false];
  const openingsLacking: HashHex[] = [];
  const opens = (commitment: HashHex, bytes: Uint8Array): boolean =>
    openingIn(sha256, commitment, Buffer.from(bytes).toString('latin1')) !== undefined;
  for (const commitment of commitments) {
    const path = join('openings', commitment);
    const own = await readBounded(join(data, path), MAX_NOTE_BYTES).catch(() => new Uint8Array(0));
    if (own !== undefined && opens(commitment, own)) {
      openingsThere += 1;
      continue;
    }
    let found: Uint8Array | undefined;
    for (const file of elsewhere.get(commitment) ?? []) {
      const bytes = await file.read().catch(() => undefined);
      if (bytes !== undefined && opens(commitment, bytes)) found = bytes;
    }
    if (own !== undefined) {
      // A node does not start with an opening that does not open its commitment.
      await setAside(data, aside, path);
      movedAside = true;
    }
    if (found === undefined) {
      openingsLacking.push(commitment);
      continue;
    }
    await ensureFolder(restoration.folder.openings, { mode: 0o700 });
    await writeDurable(join(data, path), found, { mode: 0o600 });
    openingsRestored += 1;
  }
  return { openingsThere, openingsRestored, openingsLacking, movedAside };
}
