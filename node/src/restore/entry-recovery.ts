import { Fault, messageOf } from '@assay/core/fault';
import { toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { formatLoss, type Loss } from '@assay/core/kind/loss';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { formatTilePath, type Tile } from '@assay/core/log/tile';
import type { CheckpointTerm } from '@assay/core/view/key/checkpoint-keys';
import { termSigner } from '../key/checkpoint-files.ts';
import { storedKeys } from '../key/report-keys.ts';
import type { LocalCheckpointSigner } from '../ledger/checkpoint-signer.ts';
import { ClosingHeads } from '../ledger/closing-heads.ts';
import { FileHeadGuard } from '../ledger/guard/file-head-guard.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import { openGuard } from '../ledger/guard/open-guard.ts';
import { Ledger } from '../ledger/ledger.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { rebuild } from '../ledger/derived/recover.ts';
import { loadStored, type Stored } from '../ledger/start.ts';
import type { TermSigner } from '../ledger/term-signer.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { HeadTiles } from '../mirror/head-tiles.ts';
import { Assembly } from './assembly.ts';
import { restoreClosingHeads } from './closing-head-recovery.ts';
import type { LackingFile } from './file-recovery.ts';
import type { KnownHead } from './known-heads.ts';
import type { Source } from './source.ts';
import type { Restoration } from './restoration.ts';

/** A source whose entries can be taken, with the checked tiles of their head. */
export interface Candidate {
  readonly source: Source;
  /** The head whose entries it has. */
  readonly size: number;
  readonly tiles: HeadTiles;
}

/** Sources with the checked tiles of the head whose entries they have, the largest first. */
export async function candidatesOf(
  restoration: Restoration,
  heads: readonly KnownHead[],
): Promise<readonly Candidate[]> {
  const { sha256 } = restoration.parts;
  const newest = Math.max(0, ...heads.map(({ head }) => head.checkpoint.size));
  const found: Candidate[] = [];
  for (const result of restoration.results) {
    const { source } = result;
    if (source === undefined) continue;
    const fetch = (tile: Tile): Promise<Uint8Array> =>
      source.tile(formatTilePath(tile), tile.width * 32);
    const add = async (checkpoint: Pick<Checkpoint, 'size' | 'root'>): Promise<void> => {
      result.size = Math.max(result.size ?? 0, checkpoint.size);
      try {
        const tiles = await HeadTiles.open(sha256, fetch, checkpoint);
        found.push({ source, size: checkpoint.size, tiles });
      } catch (error) {
        result.faults.push(messageOf(error));
      }
    };
    const { note, unsigned } = source;
    if (note !== undefined) {
      const known = heads.find(({ head }) => sameText(head.bytes, note));
      if (known !== undefined && known.head.checkpoint.size > 0) {
        await add(known.head.checkpoint);
      }
    }
    // The node's own entries after every signed head: nobody was given a receipt for others in their places.
    if (unsigned !== undefined && unsigned.size > newest) {
      await add({ size: unsigned.size, root: toHash(parseHex(unsigned.root, 32)) });
    }
  }
  return found.toSorted((a, b) => b.size - a.size);
}

/** Takes entries from one source after the other, until none has more to give. */
export async function assemble(
  restoration: Restoration,
  store: LedgerStore,
  candidates: readonly Candidate[],
): Promise<Assembly> {
  const { sha256, logId, progress } = restoration.parts;
  const assembly = new Assembly({
    sha256,
    store,
    logId: logId ?? null,
    ...(progress === undefined ? {} : { progress }),
  });
  for (let before = -1; before < assembly.size;) {
    before = assembly.size;
    for (const { source, size, tiles } of candidates) {
      const from = assembly.size;
      const result = restoration.results.find((each) => each.source === source);
      try {
        await assembly.take(source, tiles, { size });
        if (result !== undefined) result.proven = Math.max(result.proven ?? 0, size);
      } catch (error) {
        const words = messageOf(error);
        if (result?.faults.includes(words) === false) result.faults.push(words);
      }
      if (result === undefined) continue;
      result.entries += assembly.size - from;
      // A source that is damaged further on is verified by what it gave.
      if (assembly.size > from) result.proven = Math.max(result.proven ?? 0, assembly.size);
    }
  }
  if (assembly.size > 0) return assembly;
  throw new Fault('not_found', 'restore', {
    expected: 'a source with entries of the log',
    found: restoration.results
      .map(({ name, faults }) => `${name}: ${faults.at(-1) ?? 'none'}`)
      .join('; '),
  });
}

/**
 * Derives tiles and views from the entries, keeps the closing heads, sets the head guard, and appends the note of a loss.
 * Returns the closing heads that no source has. Throws `ledger_differs` where the log has another checkpoint key in force
 * than `signer` has.
 */
export async function foldEntries(
  restoration: Restoration,
  signer: LocalCheckpointSigner,
  assembly: Assembly,
  loss: Loss | null,
): Promise<readonly LackingFile[]> {
  const { sha256, now } = restoration.parts;
  const store = await openLevelStore(restoration.stage.ledger);
  const guard = await FileHeadGuard.open(restoration.stage.guard);
  let checkpoints: TermSigner;
  let lacking: readonly LackingFile[];
  try {
    await rebuild(sha256, store, guard);
    const stored = (await loadStored(sha256, store, { most: 0 })) as Stored;
    const terms = (await storedKeys(sha256, store)).checkpoint;
    requireInForce(terms, signer.vkey);
    lacking = await restoreClosingHeads(restoration, terms, stored);
    const closing = new ClosingHeads(restoration.parts.data);
    checkpoints = termSigner({ sha256, origin: signer.origin, terms, closing }, [signer]);
  } finally {
    await store.close();
    await guard.close();
  }
  const [size, root] = [assembly.size, assembly.root()];
  await FileHeadGuard.begin(restoration.stage.guard, { size, root });
  const slot = await FileNoteSlot.open(restoration.stage.head, { kind: 'signed' });
  try {
    // The key has signed these bytes before, or the entries are the node's own.
    await slot.swap(undefined, await checkpoints.sign(size, root, () => Promise.resolve([])));
  } finally {
    await slot.close();
  }
  if (loss === null) return lacking;
  const ledger = await Ledger.open({
    sha256,
    store: await openLevelStore(restoration.stage.ledger),
    ...(await openGuard(restoration.stage)),
    signer: checkpoints,
    now,
    askHeads: null,
  });
  try {
    const text = formatLoss(loss);
    await ledger.write(() => [{ kind: 'note/1', body: { text } }]);
  } finally {
    await ledger.close();
  }
  return lacking;
}

/** Throws `ledger_differs` unless the key in the data folder is the one that the restored log has in force. */
function requireInForce(terms: readonly CheckpointTerm[], vkey: string): void {
  const now = terms.at(-1)?.vkey;
  if (now === vkey) return;
  throw new Fault('ledger_differs', 'restore', {
    at: 'checkpoint key',
    expected: vkey,
    found: `${now}, which the restored log has in force`,
  });
}

export async function guardNote(restoration: Restoration): Promise<Uint8Array> {
  const held = await FileNoteSlot.peek(restoration.stage.head);
  if (held === undefined) throw new TypeError('guardNote: no head was staged');
  return held.note;
}

/** Whether two notes have the same text, whatever lines they have. */
function sameText(a: Uint8Array, b: Uint8Array): boolean {
  try {
    return parseNote(a).text === parseNote(b).text;
  } catch {
    return false;
  }
}
