import { cosignatureMessage, formatCosignature } from '@assay/core/log/cosignature';
import type { ForkEvidence } from '@assay/core/proof/evidence';
import { leafHash } from '@assay/core/hash/hash';
import {
  formatNote,
  formatNoteKey,
  NOTE_COSIGNATURE,
  type NoteKey,
  type NoteSignature,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { formatEntryBundle, formatHashTile, parseTilePath, TILE_WIDTH } from '@assay/core/log/tile';
import type { Ledger } from '@assay/node/ledger/ledger';
import type { LogRecord } from '@assay/node/ledger/record';
import { type ClosingPlace, memoryClosingPlace } from '@assay/node/mirror/closing-place';
import { LogMirror, type LogMirrorOptions } from '@assay/node/mirror/log-mirror';
import type { MirrorReader } from '@assay/node/mirror/served-log';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import type { NoteSlot } from '@assay/node/ledger/guard/note-slot';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  CHECKPOINTS,
  filledLedger,
  memoryPlace,
  naiveLevels,
  naiveRoot,
  note,
  type Failure,
  Gate,
  type ProbeStore,
  testSigner,
} from '../ledger/ledger-fixture.ts';

export const KEY = parseNoteKey(nodeSha256, CHECKPOINTS.vkey);

/** What a server gives for a path, and what a liar makes of it. */
export type Tamper = (path: string, body: Uint8Array) => Uint8Array | undefined;

/** A server of a log in this process: it counts what it is asked, and may lie. */
export interface Server extends MirrorReader {
  record: Pick<LogRecord, 'published' | 'tile'>;
  readonly asked: string[];
  tamper: Tamper;
  readonly blobs: Map<string, Uint8Array>;
  readonly closing: Map<number, Uint8Array>;
}

export function serverOf(record: Pick<LogRecord, 'published' | 'tile'>): Server {
  const server: Server = {
    record,
    asked: [],
    blobs: new Map(),
    closing: new Map(),
    tamper: (_, body) => body,
    async get(path) {
      server.asked.push(path);
      const body = await find(server, path);
      const given = body === undefined ? undefined : server.tamper(path, body);
      if (given === undefined) return { status: 404, body: new Uint8Array(0) };
      return { status: 200, body: given };
    },
  };
  return server;
}

async function find(server: Server, path: string): Promise<Uint8Array | undefined> {
  if (path === '/checkpoint') return server.record.published?.note;
  if (path.startsWith('/closing-head/')) return server.closing.get(Number(path.slice(14)));
  if (path.startsWith('/blob/')) return server.blobs.get(path.slice(6));
  return server.record.tile(parseTilePath(path.slice(1)));
}

/** The paths asked for since the last call. */
export function taken(server: Server): readonly string[] {
  return server.asked.splice(0);
}

/** Where a mirror lies, to be opened there again. */
/** A slot whose swaps are counted, and can be held up or made to fail. */
export interface ProbeSlot extends NoteSlot {
  readonly gate: Gate;
  fail: Failure | undefined;
  failure: Error;
}

export function probeSlot(slot: NoteSlot): ProbeSlot {
  const probe: ProbeSlot = {
    gate: new Gate(),
    fail: undefined,
    failure: new Error('guard: EIO'),
    read: () => slot.read(),
    async reopen() {
      if (probe.fail === 'failed') throw probe.failure;
      await slot.reopen();
    },
    close: () => slot.close(),
    async swap(expected, next) {
      await probe.gate.pass();
      if (probe.fail === 'failed') throw probe.failure;
      await slot.swap(expected, next);
      if (probe.fail !== undefined) throw probe.failure;
    },
  };
  return probe;
}

export interface MirrorPlace {
  readonly store: ProbeStore;
  readonly accepted: ProbeSlot;
  readonly closing: ClosingPlace;
  readonly forks: ForkEvidence[];
  readonly blobs: MemoryBlobStore;
}

export async function mirrorPlace(): Promise<MirrorPlace> {
  const { store } = await memoryPlace();
  const accepted = probeSlot(new MemoryNoteSlot());
  return {
    store,
    accepted,
    closing: memoryClosingPlace(),
    forks: [],
    blobs: new MemoryBlobStore(),
  };
}

export function openMirror(
  place: MirrorPlace,
  reader: MirrorReader,
  change: Partial<LogMirrorOptions> = {},
): Promise<LogMirror> {
  return LogMirror.open({
    reader,
    store: place.store,
    accepted: place.accepted,
    closing: place.closing,
    blobs: place.blobs,
    key: KEY,
    logId: null,
    sha256: nodeSha256,
    witnesses: null,
    onFork: (evidence) => void place.forks.push(evidence),
    ...change,
  });
}

/** A log of genesis and `notes` notes. */
export async function logOf(notes: number): Promise<Ledger> {
  return filledLedger(await memoryPlace(), notes);
}

/** Another history: the same first `from` entries, and then its own up to `size`. */
export async function forkOf(size: number, from: number): Promise<Ledger> {
  const ledger = await logOf(from - 1);
  const drafts = Array.from({ length: size - from }, (_, i) => note(`another ${i}`));
  if (drafts.length > 0) await ledger.write(() => drafts);
  return ledger;
}

export async function grow(ledger: Ledger, count: number): Promise<void> {
  const drafts = Array.from({ length: count }, (_, i) => note(`more ${ledger.nextSeq + i}`));
  await ledger.write(() => drafts);
}

/** Any entries under a head of the log's key: what a publisher signs that keeps no rules. */
export function signedLog(entries: readonly Uint8Array[]): Pick<LogRecord, 'published' | 'tile'> {
  const leaves = entries.map((entry) => leafHash(nodeSha256, entry));
  const levels = naiveLevels(leaves);
  const root = naiveRoot(leaves);
  const size = entries.length;
  return {
    published: { size, root, note: CHECKPOINTS.sign(size, root) },
    tile({ level, index, width }) {
      const [from, to] = [index * TILE_WIDTH, index * TILE_WIDTH + width];
      return Promise.resolve(
        level === 'entries'
          ? formatEntryBundle(entries.slice(from, to))
          : formatHashTile(levels[level]?.slice(from, to) ?? []),
      );
    },
  };
}

/** A witness with a key of its own, made of one byte. */
export function testWitness(byte: number): {
  readonly key: NoteKey;
  readonly line: (checkpoint: Uint8Array, time: number) => NoteSignature;
} {
  const signer = testSigner(byte);
  const vkey = formatNoteKey(nodeSha256, `witness-${byte}`, signer.publicKey, NOTE_COSIGNATURE);
  const key = parseNoteKey(nodeSha256, vkey, NOTE_COSIGNATURE);
  return {
    key,
    line(checkpoint, time) {
      const { text } = parseNote(checkpoint);
      const signature = signer.sign(cosignatureMessage(text, time));
      return formatCosignature(key, { time, signature });
    },
  };
}

/** A note with more lines. */
export function withLines(bytes: Uint8Array, lines: readonly NoteSignature[]): Uint8Array {
  const { text, signatures } = parseNote(bytes);
  return formatNote({ text, signatures: [...signatures, ...lines] });
}
