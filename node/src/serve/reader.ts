import { join } from 'node:path';
import type { Logger } from 'pino';
import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseGenesis } from '@assay/core/kind/genesis';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { type NoteKey, parseNote, parseNoteKey } from '@assay/core/log/note';
import { formatTilePath, parseEntryBundle, TILE_WIDTH } from '@assay/core/log/tile';
import { Publication } from '../api/publication.ts';
import { recordConcerns } from '../health/concern.ts';
import type { RequestLine } from '../http/pipeline.ts';
import { ClosingHeads } from '../ledger/closing-heads.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import { MemoryNoteSlot } from '../ledger/guard/memory-note-slot.ts';
import type { NoteSlot } from '../ledger/guard/note-slot.ts';
import { openLevelStore, openMemoryStore } from '../ledger/store/level-store.ts';
import { memoryClosingPlace } from '../mirror/closing-place.ts';
import { LogMirror, type LogMirrorOptions } from '../mirror/log-mirror.ts';
import type { MirrorReader } from '../mirror/served-log.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { ensureFolder } from '../platform/durable-file.ts';
import { FollowedBlobs } from '../readers/followed-blobs.ts';
import { FollowedLog } from '../readers/followed-log.ts';
import { FollowedSettlements } from '../readers/followed-settlements.ts';
import { publicState } from '../readers/public-state.ts';
import { readerRoutes } from '../readers/reader-routes.ts';
import { bodyOf, WriterClient, type WriterPlace } from '../readers/writer-client.ts';
import { type Address, type RunningService, startService } from '../service.ts';
import { EntryFrames } from '../stream/entry-frames.ts';
import { EventHub } from '../stream/event-hub.ts';

export interface ReaderOptions {
  readonly publisher: WriterPlace;
  /** Where the copy of the log is; null to keep it in memory. */
  readonly folder: string | null;
  /** The verifier key of the log's checkpoints; null to take the one that entry 0 names. */
  readonly vkey: string | null;
  readonly address: Address;
  /** Whether other processes of this machine listen at the same port. */
  readonly sharesPort: boolean;
  readonly sha256: Sha256;
  readonly log: Logger;
  /** Milliseconds between two polls of a publisher whose token is not known. */
  readonly pollMs: number;
  readonly now?: Clock;
  readonly onRequest?: (line: RequestLine) => void;
  /** Aborted when the reader need not start any more. */
  readonly signal?: AbortSignal;
}

/** A reader that answers. */
export interface RunningReader extends RunningService {
  /** How many entries it shows. */
  readonly size: () => number;
  /** Seconds since its publisher was heard. */
  readonly silentS: () => number;
}

const NOTE_BYTES = 65_536;
const BUNDLE_BYTES = 64 * 1024 * 1024;

/**
 * Serves the API from a log that is followed from its publisher, and checked as it is followed. Resolves once there is
 * something to show and the address is listened at. Throws what opening the copy throws, and `bad_config` for an
 * address that cannot be used. A publisher that cannot be reached is waited for; where no key is given it has to be asked
 * for the log's first, and `unreachable` is thrown.
 */
export async function startReader(options: ReaderOptions): Promise<RunningReader> {
  const { sha256, log, address, now = systemClock } = options;
  const signal = options.signal ?? new AbortController().signal;
  const client = new WriterClient(options.publisher);
  const opened: (() => Promise<void> | void)[] = [() => client.close()];
  try {
    const key = await keyOf(options, client, signal);
    const vkey = options.vkey ?? key.vkey;
    let publication: Publication | undefined;
    let events: EventHub | undefined;
    const mirror = await openCopy(options, client, key.key, ({ size }, tables) => {
      publication?.changed(size, tables);
      events?.published(size, tables);
    });
    opened.push(() => mirror.close());
    const hub = new EventHub(new EntryFrames(mirror, sha256));
    const followed = new FollowedLog({
      client,
      mirror,
      now,
      log,
      pollMs: options.pollMs,
      publicState: () => publicState(client, vkey),
      onTick: (of, data) => hub.tick(of, data),
    });
    opened.push(() => followed.stop());
    followed.start();
    await followed.ready(signal);
    const { state } = followed;
    if (state === undefined) throw new TypeError('a reader that is ready has a state');
    const { setting, feeds } = state;
    // Its key may be a later one of the log, which the copy has not come to yet.
    const origin = parseNoteKey(sha256, setting.vkey).name;
    if (origin !== mirror.origin) {
      throw new Fault('ledger_differs', 'publisher', { expected: mirror.origin, found: origin });
    }
    publication = new Publication(mirror, sha256);
    events = hub;
    const service = await startService({
      record: mirror,
      publication,
      blobs: new FollowedBlobs(client, sha256),
      settlements: new FollowedSettlements(client).read,
      reportKey: undefined,
      places: { publicUrl: setting.publicUrl, mirrorUrl: setting.mirrorUrl },
      sha256,
      now: followed.now,
      inputs: [() => recordConcerns(mirror), followed.concerns],
      notice: setting.notice,
      ...(feeds === null ? {} : { feeds: () => followed.state?.feeds ?? feeds }),
      events,
      metrics: undefined,
      publisher: {
        routes: (routes) => readerRoutes(routes, client, setting, () => followed.isSound),
        storage: () => followed.state?.storage ?? state.storage,
        sharesPort: options.sharesPort,
      },
      ...(options.onRequest === undefined ? {} : { onRequest: options.onRequest }),
      terminal: setting.datasetStart === null ? {} : { datasetStart: setting.datasetStart },
      log,
      address,
    });
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      hub.stop();
      await service.close();
      for (const each of opened.reverse()) await each();
    };
    return {
      ...service,
      size: () => mirror.size,
      silentS: () => followed.silentS,
      close: () => (closed ??= close()),
    };
  } catch (error) {
    for (const each of opened.reverse()) await each();
    throw error;
  }
}

async function madeFolder(folder: string): Promise<string> {
  await ensureFolder(folder);
  return join(folder, 'ledger');
}

/** The copy of the log, as far as it has come. */
async function openCopy(
  { folder, sha256, log }: ReaderOptions,
  client: WriterClient,
  key: NoteKey,
  onHeld: NonNullable<LogMirrorOptions['onHeld']>,
): Promise<LogMirror> {
  const store =
    folder === null
      ? await openMemoryStore()
      : await openLevelStore(await madeFolder(folder), { sync: false });
  let accepted: NoteSlot | undefined;
  try {
    // A process that was killed in the middle of a copy goes on with it, because the head that it was copying up to is kept.
    accepted =
      folder === null
        ? new MemoryNoteSlot()
        : await FileNoteSlot.open(join(folder, 'accepted'), { sync: false });
    return await LogMirror.open({
      reader: mirrorReader(client),
      store,
      accepted,
      closing: folder === null ? memoryClosingPlace() : new ClosingHeads(folder),
      blobs: null,
      key,
      logId: null,
      sha256,
      witnesses: null,
      onFork: () => log.error('the key of the log has signed two histories'),
      onHeld,
    });
  } catch (error) {
    await accepted?.close();
    await store.close();
    throw error;
  }
}

/** The log as a mirror reads it, from its publisher. */
function mirrorReader(client: WriterClient): MirrorReader {
  return {
    async get(path, maxBytes, signal) {
      const answer = await client.send({ method: 'GET', target: path, signal });
      const body = await bodyOf(answer, maxBytes);
      if (answer.status === 429 || answer.status >= 500) {
        throw new Fault('unreachable', 'publisher', { at: path, found: `status ${answer.status}` });
      }
      return { status: answer.status, body };
    },
  };
}

/** The key of the log's checkpoints: the one that is given, or what entry 0 of the publisher's log names. */
async function keyOf(
  { vkey, sha256, log }: ReaderOptions,
  client: WriterClient,
  signal: AbortSignal,
): Promise<{ readonly key: NoteKey; readonly vkey: string }> {
  if (vkey !== null) return { key: parseNoteKey(sha256, vkey), vkey };
  const reader = mirrorReader(client);
  const note = await reader.get('/checkpoint', NOTE_BYTES, signal);
  const { size } = parseCheckpoint(parseNote(note.body).text);
  const width = Math.min(size, TILE_WIDTH);
  const path = `/${formatTilePath({ level: 'entries', index: 0, width })}`;
  const bundle = await reader.get(path, BUNDLE_BYTES, signal);
  const [first] = parseEntryBundle(bundle.body, width);
  if (first === undefined) throw new Fault('malformed', 'publisher', { found: 'no entry 0' });
  const found = parseGenesis(parseEntry(first).body, 'entry 0').checkpoint_vkey;
  log.warn(
    { vkey: found },
    'the key of the log is the one that it names itself: nobody vouches for it',
  );
  return { key: parseNoteKey(sha256, found), vkey: found };
}
