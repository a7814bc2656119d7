import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hashHex, type HashHex } from '@assay/core/hash/hash';
import type { Loss } from '@assay/core/kind/loss';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { type NoteKey, parseNote, parseNoteKey } from '@assay/core/log/note';
import { formatTime } from '@assay/core/time/time';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { ensureFolder } from '../platform/durable-file.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { openMirrored } from '../mirror/mirrored-note.ts';
import { hasData } from '../data/open-data.ts';
import { Assembly } from './assembly.ts';
import type { LackingBlob } from './backup.ts';
import { readBounded } from './bounded-file.ts';
import { askHolders, type SilentHolder } from './known-heads.ts';
import {
  asideName,
  beginStage,
  findStaged,
  markReady,
  place,
  see,
  type Seen,
} from './placement.ts';
import {
  beginRestoration,
  isFound,
  MAX_NOTE_BYTES,
  openSources,
  type Restoration,
  type RestoreParts,
  resultOf,
  type SourceResult,
} from './restoration.ts';
import { openSigner } from './checkpoint-key.ts';
import {
  lossOf,
  requireAll,
  requireConfirmed,
  requireOneHistory,
  shownHeads,
  silentSources,
} from './head-check.ts';
import { assemble, candidatesOf, foldEntries, guardNote } from './entry-recovery.ts';
import { restoreBlobs } from './blob-recovery.ts';
import {
  type LackingFile,
  restoreFiles,
  seedLacking,
  tickOpeningsLacking,
} from './file-recovery.ts';
import { countOf, verifyStaged } from './staged-verdict.ts';
import { SUCCESSION_FILE } from './succession-proposal.ts';

/** What could not be restored. */
export interface Lacking {
  /** Blobs, each with its role for the entry that names it. */
  readonly blobs: readonly LackingBlob[];
  /** Commitments to withheld levels that nothing opens. */
  readonly openings: readonly HashHex[];
  /** Files of what opens the ticks of a day, as paths in the data folder. */
  readonly tick_openings: readonly string[];
  /**
   * Files that nothing serves: those that a source names but does not have undamaged, and the seed of ticks.
   */
  readonly files: readonly LackingFile[];
}

export interface Restored {
  readonly log: HashHex;
  readonly origin: string;
  readonly size: number;
  readonly root: HashHex;
  readonly sources: readonly SourceResult[];
  readonly heads: readonly { readonly holder: string; readonly size: number }[];
  readonly silent: readonly SilentHolder[];
  /** The note in the log about entries that it lost; null if it lost none. */
  readonly loss: Loss | null;
  readonly blobs: { readonly there: number; readonly restored: number };
  readonly openings: { readonly there: number; readonly restored: number };
  readonly files: number;
  readonly lacking: Lacking;
  readonly verdict: { readonly outcome: Verdict['outcome']; readonly findings: number };
  /** The folder in the data folder with what was there before; null if there was nothing. */
  readonly aside: string | null;
  /** Whether an earlier run had staged it, and this one put it into place. */
  readonly completed: boolean;
}

/**
 * Brings a log back from others' copies. Nothing in the data folder is touched before the result is whole: entries that
 * stand under heads that the log's own key signed, views and tiles derived from them again, a head guard at the newest
 * head, and the verifier's word. What was there is moved aside, never deleted.
 *
 * Throws `head_lost` where a head that others hold covers entries that no source has: going on would be a fork;
 * `ledger_differs` where two signed heads exclude each other, with the evidence kept; `ledger_behind` where entries
 * were acknowledged that nobody holds, and nobody consented to write them off; `unreachable` where one of those who are
 * named showed no head, or nobody is named, and `guard_missing` or `guard_corrupt` where the head guard is lost too;
 * `not_found` where no source has anything of the log; `refused` where
 * another process holds the folder, or the verifier finds something.
 */
export async function restore(parts: RestoreParts): Promise<Restored> {
  const { data } = parts;
  await ensureFolder(data, { mode: 0o700 });
  const staged = await findStaged(data);
  const seen = await see(data);
  if (staged !== undefined) {
    const { result } = await place(data);
    return { ...(JSON.parse(result) as Restored), completed: true };
  }
  const stage = await beginStage(data);
  const restoration = beginRestoration(parts, stage);
  try {
    return await restoreStaged(restoration, seen);
  } finally {
    for (const source of restoration.sources) await source.close().catch(() => undefined);
    // What is ready stays for the next run; the rest would be begun anew.
    if ((await findStaged(data)) === undefined) await rm(stage, { recursive: true, force: true });
  }
}

/** Assembles the log in the stage, and puts it into place once it is whole. */
async function restoreStaged(restoration: Restoration, seen: Seen): Promise<Restored> {
  const { data, sha256, now } = restoration.parts;
  await openSources(restoration);
  const signer = await openSigner(restoration);
  const key = parseNoteKey(sha256, signer.vkey);
  const heads = shownHeads(restoration, key);
  const silent = [...silentSources(restoration, heads)];
  const asked = await askHolders(key, restoration.parts);
  heads.push(...asked.heads);
  silent.push(...asked.silent);
  const candidates = await candidatesOf(restoration, heads);
  const trees = candidates.map(({ size, tiles }) => ({ size, hashes: tiles.hashes }));
  await requireOneHistory(restoration, key, heads, trees);
  const store = await openLevelStore(restoration.stage.ledger, { sync: true });
  let assembly: Assembly;
  try {
    assembly = await assemble(restoration, store, candidates);
    await requireOneHistory(restoration, key, heads, [
      { size: assembly.size, hashes: assembly.hashes },
    ]);
    await requireAll(restoration, key, heads, assembly, store);
    // Tiles and views follow from the entries alone.
    await store.settle();
  } finally {
    await store.close();
  }
  const { size } = assembly;
  const log = assembly.log as HashHex;
  requireConfirmed(restoration, heads, silent);
  const loss = lossOf(restoration, heads, size);
  const aside = await asideName(data, formatTime(now()));
  const closingLacking = await foldEntries(restoration, signer, assembly, loss);
  const folded = await openLevelStore(restoration.stage.ledger);
  try {
    const blobs = await restoreBlobs(restoration, folded, aside);
    const verdict = await verifyStaged(restoration, folded, signer.vkey);
    const head = parseCheckpoint(parseNote(await guardNote(restoration)).text);
    const hadLedger = await hasData(restoration.folder);
    const hadProposal = await isFound(join(data, SUCCESSION_FILE));
    const files = await restoreFiles(restoration);
    const result: Restored = {
      log,
      origin: signer.origin,
      size: head.size,
      root: hashHex(head.root),
      sources: restoration.results.map(resultOf),
      heads: heads.map(({ holder, head: each }) => ({ holder, size: each.checkpoint.size })),
      silent,
      loss,
      blobs: { there: blobs.there, restored: blobs.restored },
      openings: { there: blobs.openingsThere, restored: blobs.openingsRestored },
      files: files.written,
      lacking: {
        blobs: blobs.lacking,
        openings: blobs.openingsLacking,
        tick_openings: await tickOpeningsLacking(restoration, blobs.days),
        files: [
          ...closingLacking,
          ...files.lacking,
          ...(await seedLacking(restoration, blobs.days)),
        ],
      },
      verdict: { outcome: verdict.outcome, findings: countOf(verdict) },
      aside: hadLedger || hadProposal || blobs.movedAside ? aside : null,
      completed: false,
    };
    await folded.close();
    for (const source of restoration.sources) await source.close();
    await rm(join(restoration.stage.root, 'sources'), { recursive: true, force: true });
    const gone = [
      ...((await isAhead(restoration, head.size, key)) ? ['shown'] : []),
      // It records that entries are lost which have been found.
      ...(hadProposal ? [SUCCESSION_FILE] : []),
    ];
    await markReady(data, { aside, gone, result: JSON.stringify(result), seen });
    await place(data);
    return result;
  } finally {
    await folded.close().catch(() => undefined);
  }
}

/** Whether the note that readers were shown last is of a head that the log does not reach. */
async function isAhead(restoration: Restoration, size: number, key: NoteKey): Promise<boolean> {
  const note = await readBounded(restoration.folder.shown, MAX_NOTE_BYTES).catch(() => undefined);
  if (note === undefined) return false;
  try {
    return openMirrored(key, note).checkpoint.size > size;
  } catch {
    return true;
  }
}
