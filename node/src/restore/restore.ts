import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { entryBody, parseEntry, scanEntry } from '@assay/core/log/entry';
import { formatEvidence } from '@assay/core/proof/evidence';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { parseGenesis } from '@assay/core/kind/genesis';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatLoss, type Loss } from '@assay/core/kind/loss';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { formatNoteKey, type NoteKey, parseNote, parseNoteKey } from '@assay/core/log/note';
import { MAX_ENTRY_BYTES } from '@assay/core/limits';
import { formatTilePath, parseEntryBundle, type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import { formatTime } from '@assay/core/time/time';
import type { FolderReader } from '@assay/verifier/reader/folder-reader';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import type { Clock } from '../platform/clock.ts';
import { type DataFolder, dataFolder, keyPath } from '../platform/data-folder.ts';
import { ensureFolder, writeDurable } from '../platform/durable-file.ts';
import { FileBlobStore } from '../blob/file-blob-store.ts';
import { openKey } from '../key/keystore.ts';
import { checkpointSigner, type CheckpointSigner } from '../ledger/checkpoint-signer.ts';
import { FileHeadGuard } from '../ledger/file-head-guard.ts';
import { Ledger } from '../ledger/ledger.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import type { FetchNote, HeadWitness } from '../witness/client/mirror-heads.ts';
import { rebuild } from '../ledger/recover.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { HeadTiles } from '../mirror/head-tiles.ts';
import { openMirrored } from '../mirror/mirrored-note.ts';
import { hasData } from '../data/open-data.ts';
import { openingIn } from '../data/openings.ts';
import { Assembly } from './assembly.ts';
import type { LackingBlob } from './backup.ts';
import { readBounded } from './bounded-file.ts';
import {
  askHolders,
  findFork,
  type KnownHead,
  type KnownTree,
  type SilentHolder,
} from './known-heads.ts';
import { blobsOf, commitmentIn, pagesOf } from '../blob/named-blobs.ts';
import {
  asideName,
  beginStage,
  findStaged,
  markReady,
  place,
  see,
  type Seen,
  setAside,
} from './placement.ts';
import {
  isConfigPath,
  isKeyPath,
  mayBeBackedUp,
  openingOf,
  type PrivateFile,
} from './private-files.ts';
import { isAddress, openLeft, openSource, type Source } from './source.ts';
import { SUCCESSION_FILE, formatProposal } from './succession-proposal.ts';

/** What a restore is given, and what whoever runs it consents to. */
export interface RestoreParts {
  /** The data folder that is to hold the log: empty, new, or what is left of it. */
  readonly data: string;
  /** Addresses and folders, in the order in which they were given. */
  readonly from: readonly string[];
  readonly mirrors: readonly string[];
  readonly witnesses: readonly HeadWitness[];
  readonly fetchNote: FetchNote;
  /** A folder of key files, or a backup that has them; undefined where they lie in the data folder. */
  readonly keys: string | undefined;
  readonly passphrase: string | undefined;
  /** Leaf hash of entry 0; undefined where nobody says so. */
  readonly logId: HashHex | undefined;
  /** How many entries the operator knows to have been acknowledged; undefined where he does not say. */
  readonly acknowledged: number | undefined;
  /** Entries that were acknowledged and that nobody holds may be written off, with a note in the log. */
  readonly acceptLoss: boolean;
  /** The log may go on though one of those who are named, or all of them, could not be asked for a newer head. */
  readonly unconfirmed: boolean;
  /** The log is put into place though the verifier has findings in what its entries say. */
  readonly acceptFindings: boolean;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** The verifier, over what was restored, before it is put into place. */
  readonly verify: (folder: FolderReader, vkey: string) => Promise<Verdict>;
  readonly progress?: (done: number, total: number, what: string) => void;
}

/** A source, and what became of it. */
export interface SourceResult {
  readonly name: string;
  readonly kind: Source['kind'] | null;
  /** Entries of the head that it shows; null where it shows none of the log. */
  readonly size: number | null;
  /** Entries that were taken from it. */
  readonly entries: number;
  /** How many files that nothing serves were taken from it. */
  readonly files: number;
  /** Those of them that the node is configured with, as paths in the data folder: nothing proves what they say. */
  readonly config: readonly string[];
  readonly faults: readonly string[];
}

/** What could not be brought back. */
export interface Lacking {
  /** Blobs, each with what it is to the entry that names it. */
  readonly blobs: readonly LackingBlob[];
  /** Commitments to withheld levels that nothing opens. */
  readonly openings: readonly HashHex[];
  /** Files of what opens the ticks of a day, as paths in the data folder. */
  readonly tick_openings: readonly string[];
  /** Files that nothing serves: those that a source names and does not have as they were, and the seed of ticks. */
  readonly files: readonly LackingFile[];
}

/** A file that could not be brought back. */
export interface LackingFile {
  /** Its path in the data folder. */
  readonly path: string;
  /** Which source should have it, and what was found there. */
  readonly reason: string;
}

export interface Restored {
  readonly log: HashHex;
  readonly origin: string;
  readonly size: number;
  readonly root: HashHex;
  readonly sources: readonly SourceResult[];
  readonly heads: readonly { readonly holder: string; readonly size: number }[];
  readonly silent: readonly SilentHolder[];
  /** The note that the log has now of entries that it lost; null where it lost none. */
  readonly loss: Loss | null;
  readonly blobs: { readonly there: number; readonly restored: number };
  readonly openings: { readonly there: number; readonly restored: number };
  readonly files: number;
  readonly lacking: Lacking;
  readonly verdict: { readonly outcome: Verdict['outcome']; readonly findings: number };
  /** Folder in the data folder with what was there before; null where there was nothing. */
  readonly aside: string | null;
  /** Whether an earlier run had staged it, and this one put it into place. */
  readonly completed: boolean;
}

/** Codes of findings that say that bytes are not there: those are listed by name. */
const MISSING: ReadonlySet<string> = new Set(['blob_missing']);
const MAX_NOTE_BYTES = 65_536;
/** Faults of one source that are listed. */
const MAX_FAULTS = 5;

/**
 * Brings a log back from others' copies. Nothing in the data folder is touched before the result is whole: entries that
 * stand under heads that the log's own key signed, views and tiles derived from them again, a head guard at the newest
 * head, and the verifier's word. What was there is moved aside, never deleted.
 *
 * Throws `head_lost` where a head that others hold covers entries that no source has: going on would be a fork;
 * `ledger_differs` where two signed heads exclude each other, with the evidence kept; `ledger_behind` where entries
 * were acknowledged that nobody holds, and nobody consented to write them off; `unreachable` where one of those who are
 * named showed no head, or nobody is named; `not_found` where no source has anything of the log; `refused` where
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
  const sources: Source[] = [];
  try {
    return await new Restoring(parts, stage, sources).run(seen);
  } finally {
    for (const source of sources) await source.close().catch(() => undefined);
    // What is ready stays for the next run; the rest would be begun anew.
    if ((await findStaged(data)) === undefined) await rm(stage, { recursive: true, force: true });
  }
}

interface Candidate {
  readonly source: Source;
  /** The head whose entries it has. */
  readonly size: number;
  readonly tiles: HeadTiles;
}

/** A source, while it is worked with. */
interface Result {
  source: Source | undefined;
  readonly name: string;
  size: number | null;
  entries: number;
  /** Entries of the head by which it is shown to be of this log; null where it shows none. */
  proven: number | null;
  files: number;
  readonly config: string[];
  readonly faults: string[];
  /** How many faults there were beyond those that are kept. */
  untold: number;
}

/** Notes what is wrong with a source, as far as a reader has patience: it may be wrong of each of many blobs. */
function tell(result: Result, words: string): void {
  if (result.faults.includes(words)) return;
  if (result.faults.length < MAX_FAULTS) result.faults.push(words);
  else result.untold += 1;
}

class Restoring {
  readonly #parts: RestoreParts;
  readonly #folder: DataFolder;
  readonly #stage: DataFolder;
  readonly #sources: Source[];
  readonly #results: Result[] = [];

  constructor(parts: RestoreParts, stage: string, sources: Source[]) {
    this.#parts = parts;
    this.#folder = dataFolder(parts.data);
    this.#stage = dataFolder(stage);
    this.#sources = sources;
  }

  async run(seen: Seen): Promise<Restored> {
    const { data, sha256, now } = this.#parts;
    await this.#open();
    const signer = await this.#signer();
    const key = parseNoteKey(sha256, signer.vkey);
    const heads = this.#shownHeads(key);
    const silent = [...this.#silentSources(heads)];
    const asked = await askHolders(key, this.#parts);
    heads.push(...asked.heads);
    silent.push(...asked.silent);
    const candidates = await this.#candidates(heads);
    const trees = candidates.map(({ size, tiles }) => ({ size, hashes: tiles.hashes }));
    await this.#requireOneHistory(key, heads, trees);
    const store = await openLevelStore(this.#stage.ledger, { sync: true });
    let assembly: Assembly;
    try {
      assembly = await this.#assemble(store, signer.vkey, candidates);
      await this.#requireOneHistory(key, heads, [{ size: assembly.size, hashes: assembly.hashes }]);
      await this.#requireAll(key, heads, assembly, store);
      // Tiles and views follow from the entries alone.
      await store.settle();
    } finally {
      await store.close();
    }
    const { size } = assembly;
    const log = assembly.log as HashHex;
    this.#requireConfirmed(heads, silent);
    const loss = this.#lossOf(heads, size);
    const aside = await asideName(data, formatTime(now()));
    await this.#fold(signer, assembly, loss);
    const folded = await openLevelStore(this.#stage.ledger);
    try {
      const blobs = await this.#blobs(folded, aside);
      const verdict = await this.#verify(folded, signer.vkey);
      const head = parseCheckpoint(parseNote(await this.#guardNote()).text);
      const hadLedger = await hasData(this.#folder);
      const hadProposal = await isFound(join(data, SUCCESSION_FILE));
      const files = await this.#privateFiles();
      const result: Restored = {
        log,
        origin: signer.origin,
        size: head.size,
        root: hashHex(head.root),
        sources: this.#results.map((each) => ({
          name: each.name,
          kind: each.source?.kind ?? null,
          size: each.size,
          entries: each.entries,
          files: each.files,
          config: each.config,
          faults:
            each.untold === 0
              ? each.faults
              : [...each.faults, `and ${each.untold} more of the kind`],
        })),
        heads: heads.map(({ holder, head: each }) => ({ holder, size: each.checkpoint.size })),
        silent,
        loss,
        blobs: { there: blobs.there, restored: blobs.restored },
        openings: { there: blobs.openingsThere, restored: blobs.openingsRestored },
        files: files.written,
        lacking: {
          blobs: blobs.lacking,
          openings: blobs.openingsLacking,
          tick_openings: await this.#tickOpenings(blobs.days),
          files: [...files.lacking, ...(await this.#seedLacking(blobs.days))],
        },
        verdict: { outcome: verdict.outcome, findings: countOf(verdict) },
        aside: hadLedger || hadProposal || blobs.movedAside ? aside : null,
        completed: false,
      };
      await folded.close();
      for (const source of this.#sources) await source.close();
      await rm(join(this.#stage.root, 'sources'), { recursive: true, force: true });
      const gone = [
        ...((await this.#isAhead(head.size, key)) ? ['shown'] : []),
        // It says that entries are lost which have been found.
        ...(hadProposal ? [SUCCESSION_FILE] : []),
      ];
      await markReady(data, { aside, gone, result: JSON.stringify(result), seen });
      await place(data);
      return result;
    } finally {
      await folded.close().catch(() => undefined);
    }
  }

  /** Opens every source, and what is left in the data folder as the last of them. */
  async #open(): Promise<void> {
    const { data, from, sha256 } = this.#parts;
    const scratch = join(this.#stage.root, 'sources');
    await mkdir(scratch, { mode: 0o700 });
    // What is left in the folder itself is taken up below, whether it is named or not.
    for (const name of from.filter((each) => each !== data)) {
      const result = this.#result(name);
      try {
        result.source = await openSource(name, { sha256, scratch });
        this.#sources.push(result.source);
      } catch (error) {
        result.faults.push(messageOf(error));
      }
    }
    const hasLedger = await hasData(this.#folder);
    if (!hasLedger && (await stat(this.#folder.guard).catch(() => undefined)) === undefined) return;
    const left = await openLeft(data, { sha256, scratch });
    const result = this.#result(data);
    result.source = left;
    this.#sources.push(left);
    if (left.fault !== undefined) result.faults.push(messageOf(left.fault));
  }

  #result(name: string): Result {
    const result: Result = {
      source: undefined,
      name,
      size: null,
      entries: 0,
      proven: null,
      files: 0,
      config: [],
      faults: [],
      untold: 0,
    };
    this.#results.push(result);
    return result;
  }

  /** The log's checkpoint key, under the one origin for which a source shows a head that it signed. */
  async #signer(): Promise<CheckpointSigner> {
    const { sha256, passphrase } = this.#parts;
    await this.#bringKeys();
    const signer = await openKey(keyPath(this.#folder, 'checkpoint'), { passphrase });
    const origins = new Set<string>();
    for (const source of this.#sources) {
      for (const { note } of source.heads) {
        const origin = originIn(note);
        if (origin === undefined) continue;
        try {
          checkpointSigner(sha256, origin, signer).open(note);
          origins.add(origin);
        } catch {
          // Another log's, or nobody's: told below, where the log is known.
        }
      }
      if (source.unsigned !== undefined && source.heads.length === 0) {
        const origin = await originOfEntries(source);
        if (origin !== undefined) origins.add(origin);
      }
    }
    const [origin, ...others] = origins;
    if (origin === undefined) {
      throw new Fault('not_found', 'restore', {
        expected: 'a source with a head that the checkpoint key in the data folder signed',
        found: this.#results
          .map(({ name, faults }) => `${name}: ${faults[0] ?? 'no head of it'}`)
          .join('; '),
      });
    }
    if (others.length > 0) {
      throw new Fault('refused', 'restore', {
        expected: 'sources of one log',
        found: `heads of ${[...origins].join(' and ')}, signed by the same key`,
      });
    }
    return checkpointSigner(sha256, origin, signer);
  }

  /** Copies key files that the data folder lacks from where the command says. */
  async #bringKeys(): Promise<void> {
    const { keys, data, sha256 } = this.#parts;
    if (keys === undefined) return;
    const files: PrivateFile[] = [];
    if ((await stat(join(keys, 'assay-backup.json')).catch(() => undefined)) !== undefined) {
      const scratch = join(this.#stage.root, 'sources');
      const backup = await openSource(keys, { sha256, scratch });
      files.push(...(await backup.privates()).filter(({ path }) => isKeyPath(path)));
    } else {
      for (const name of await readdir(keys)) {
        if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) continue;
        const bytes = await readBounded(join(keys, name), MAX_NOTE_BYTES);
        if (bytes !== undefined)
          files.push({ path: `keys/${name}`, read: () => Promise.resolve(bytes) });
      }
    }
    await ensureFolder(this.#folder.keys, { mode: 0o700 });
    for (const { path, read } of files) {
      if ((await stat(join(data, path)).catch(() => undefined)) !== undefined) continue;
      await writeDurable(join(data, path), await read(), { mode: 0o600, exclusive: true });
    }
  }

  /** The heads that sources show and the key has signed; what it has not is told of its source. */
  #shownHeads(key: NoteKey): KnownHead[] {
    const heads: KnownHead[] = [];
    for (const result of this.#results) {
      const { source } = result;
      if (source === undefined) continue;
      for (const { holder, note } of source.heads) {
        try {
          const head = openMirrored(key, note);
          // A line beside the log's own says that somebody else has seen this head.
          const isAlone = source.kind === 'folder' && head.note.signatures.length === 1;
          heads.push({ holder, head, held: isAlone ? 'own' : source.isLive ? 'live' : 'copy' });
        } catch (error) {
          result.faults.push(`${holder}: ${messageOf(error)}`);
        }
      }
    }
    return heads;
  }

  /** Sources with the checked tiles of the head whose entries they have, the largest first. */
  async #candidates(heads: readonly KnownHead[]): Promise<readonly Candidate[]> {
    const { sha256 } = this.#parts;
    const newest = Math.max(0, ...heads.map(({ head }) => head.checkpoint.size));
    const found: Candidate[] = [];
    for (const result of this.#results) {
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
      // One's own entries behind every signed head: nobody was told of another in their places.
      if (unsigned !== undefined && unsigned.size > newest) {
        await add({ size: unsigned.size, root: toHash(parseHex(unsigned.root, 32)) });
      }
    }
    return found.toSorted((a, b) => b.size - a.size);
  }

  /** Throws `ledger_differs`, with the evidence kept, where two signed heads exclude each other. */
  async #requireOneHistory(
    key: NoteKey,
    heads: readonly KnownHead[],
    trees: readonly KnownTree[],
  ): Promise<void> {
    const { sha256, data } = this.#parts;
    const fork = await findFork(sha256, key, heads, trees);
    if (fork === undefined) return;
    const bytes = formatEvidence(fork.evidence);
    const path = join(data, 'evidence', `${hashHex(contentHash(sha256, bytes))}.json`);
    await ensureFolder(join(data, 'evidence'), { mode: 0o700 });
    await writeDurable(path, bytes);
    throw new Fault('ledger_differs', 'restore', {
      expected: 'one history in all heads that the log has signed',
      found:
        `two: ${fork.first.holder} holds a head of ${fork.first.head.checkpoint.size} entries, and ` +
        `${fork.second.holder} one of ${fork.second.head.checkpoint.size} that excludes it. The evidence is kept in ${path}`,
    });
  }

  /** Takes entries from one source after the other, until none has more to give. */
  async #assemble(
    store: LedgerStore,
    vkey: string,
    candidates: readonly Candidate[],
  ): Promise<Assembly> {
    const { sha256, logId, progress } = this.#parts;
    const assembly = new Assembly({
      sha256,
      store,
      vkey,
      logId: logId ?? null,
      ...(progress === undefined ? {} : { progress }),
    });
    for (let before = -1; before < assembly.size;) {
      before = assembly.size;
      for (const { source, size, tiles } of candidates) {
        const from = assembly.size;
        const result = this.#results.find((each) => each.source === source);
        try {
          await assembly.take(source, tiles, { size });
          if (result !== undefined) result.proven = Math.max(result.proven ?? 0, size);
        } catch (error) {
          const words = messageOf(error);
          if (result?.faults.includes(words) === false) result.faults.push(words);
        }
        if (result === undefined) continue;
        result.entries += assembly.size - from;
        // One that has rotted further on has proven itself by what it gave.
        if (assembly.size > from) result.proven = Math.max(result.proven ?? 0, assembly.size);
      }
    }
    if (assembly.size > 0) return assembly;
    throw new Fault('not_found', 'restore', {
      expected: 'a source with entries of the log',
      found: this.#results
        .map(({ name, faults }) => `${name}: ${faults.at(-1) ?? 'none'}`)
        .join('; '),
    });
  }

  /** Throws `head_lost` where a head that others hold covers more than was found. */
  async #requireAll(
    key: NoteKey,
    heads: readonly KnownHead[],
    assembly: Assembly,
    store: LedgerStore,
  ): Promise<void> {
    const { data, sha256 } = this.#parts;
    const { size } = assembly;
    const beyond = heads
      .filter(({ head, held }) => held !== 'own' && head.checkpoint.size > size)
      .toSorted((a, b) => b.head.checkpoint.size - a.head.checkpoint.size)[0];
    if (beyond === undefined) return;
    const proven = heads
      .filter(({ head }) => head.checkpoint.size > 0 && head.checkpoint.size <= size)
      .toSorted((a, b) => b.head.checkpoint.size - a.head.checkpoint.size)[0];
    const genesis = await store.entry(0);
    const file = join(data, SUCCESSION_FILE);
    if (proven !== undefined && genesis !== undefined) {
      const bytes = formatProposal({ genesis, head: proven.head.bytes, lost: beyond.head.bytes });
      await writeDurable(file, bytes);
    }
    const vkey = formatNoteKey(sha256, key.name, key.publicKey);
    throw new Fault('head_lost', 'restore', {
      expected: `the ${beyond.head.checkpoint.size} entries of ${key.name} under a head that ${beyond.holder} holds`,
      found:
        `${size}: no source has the others, and going on without them would be a fork, signed by ${vkey}. ` +
        `Look for another copy and run this again; or, where there is none, begin a log that names what is lost: ` +
        `assay init --succeeds ${data} --origin NEW-NAME --data NEW-FOLDER --contact ADDRESS`,
    });
  }

  /**
   * Throws `unreachable` unless another machine shows a head, and each place that is named does: one place that lags
   * behind looks like one that knows the newest head. The folder's own head guard confirms nothing, for whatever put an
   * old folder back has put an old guard back with it.
   */
  #requireConfirmed(heads: readonly KnownHead[], silent: readonly SilentHolder[]): void {
    if (this.#parts.unconfirmed) return;
    const isAnswered = heads.some(({ held }) => held === 'live');
    if (isAnswered && silent.length === 0) return;
    const reasons =
      silent.length === 0
        ? 'nobody is named: give --mirror or --witness, or the address of another machine as a source'
        : silent.map(({ holder, reason }) => `${holder}: ${reason}`).join('; ');
    throw new Fault('unreachable', 'restore', {
      expected:
        'a head from every witness, mirror and address that is named, for an old copy looks like the newest by itself. ' +
        '--unconfirmed goes on without; if more had been published, that is a fork',
      found: isAnswered ? reasons : `nobody could be asked for a newer head: ${reasons}`,
    });
  }

  /** Addresses that were given as sources, and that showed no head which the key has signed. */
  #silentSources(heads: readonly KnownHead[]): readonly SilentHolder[] {
    return this.#results
      .filter(({ name }) => isAddress(name) && !heads.some(({ holder }) => holder === name))
      .map(({ name, faults }) => ({
        holder: `the source ${name}`,
        reason: faults[0] ?? 'it has no head of this log',
      }));
  }

  /** What is lost behind what was found. Throws `ledger_behind` where nobody consented to it. */
  #lossOf(heads: readonly KnownHead[], size: number): Loss | null {
    const { acknowledged, acceptLoss, data } = this.#parts;
    const own = heads
      .filter(({ held }) => held === 'own')
      .toSorted((a, b) => b.head.checkpoint.size - a.head.checkpoint.size)[0]?.head.checkpoint;
    const to = Math.max(own?.size ?? 0, acknowledged ?? 0);
    if (to > size) {
      if (!acceptLoss) {
        throw new Fault('ledger_behind', 'restore', {
          expected: `${to} entries, which were acknowledged`,
          found:
            `${size}: no source has the entries ${size} to ${to - 1}. Look for another copy; or, where there is none, ` +
            `--accept-loss writes a note into the log in their place, which says that they are lost`,
        });
      }
      const isGuard = own?.size === to;
      return {
        from: size,
        to,
        root: isGuard ? hashHex(own.root) : null,
        known: isGuard ? 'guard' : 'operator',
      };
    }
    if (acknowledged !== undefined || own !== undefined) return null;
    // The ledger itself was there to its end, and an entry is in it before anybody is told of it.
    const isOwnWhole = this.#results.some(
      ({ source, name }) => name === data && source?.unsigned?.size === size,
    );
    return isOwnWhole ? null : { from: size, to: null, root: null, known: 'nobody' };
  }

  /** Derives tiles and views from the entries, sets the head guard, and appends the note of a loss. */
  async #fold(signer: CheckpointSigner, assembly: Assembly, loss: Loss | null): Promise<void> {
    const { sha256, now } = this.#parts;
    const store = await openLevelStore(this.#stage.ledger);
    const guard = await FileHeadGuard.open(this.#stage.guard);
    try {
      await rebuild(sha256, store, guard);
      // The key has signed these bytes before, or the entries are one's own.
      await guard.swap(undefined, signer.sign(assembly.size, assembly.root()));
    } finally {
      await store.close();
      await guard.close();
    }
    if (loss === null) return;
    const ledger = await Ledger.open({
      sha256,
      store: await openLevelStore(this.#stage.ledger),
      guard: await FileHeadGuard.open(this.#stage.guard),
      signer,
      now,
      askHeads: null,
    });
    try {
      const text = formatLoss(loss);
      await ledger.write(() => [{ kind: 'note/1', body: { text } }]);
    } finally {
      await ledger.close();
    }
  }

  async #guardNote(): Promise<Uint8Array> {
    const guard = await FileHeadGuard.open(this.#stage.guard);
    try {
      return (await guard.read()) as Uint8Array;
    } finally {
      await guard.close();
    }
  }

  /** Brings back what entries name, each by its hash or commitment. */
  async #blobs(
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
    const { sha256, data, progress } = this.#parts;
    const blobs = await FileBlobStore.open(this.#folder.blobs);
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
    for (const each of named.values()) {
      const { hash } = each;
      const own = await blobs.get(hash).catch((error: unknown) => {
        if (faultCode(error) === 'blob_differs') return null;
        throw error;
      });
      let bytes = own ?? undefined;
      if (bytes === undefined) {
        bytes = await this.#blobElsewhere(hash);
        if (bytes !== undefined) {
          if (own === null) {
            await setAside(data, aside, join('blobs', hash.slice(0, 2), hash));
            movedAside = true;
          }
          await blobs.put(bytes);
          restored += 1;
        }
      } else {
        there += 1;
      }
      if (bytes === undefined) lacking.push(each);
      else if (each.role === 'manifest') {
        for (const page of pagesOf(bytes)) {
          if (!named.has(page.hash)) named.set(page.hash, { ...page, seq: each.seq });
        }
      }
      progress?.(there + restored + lacking.length, named.size, 'blobs');
    }
    const openings = await this.#openings(commitments, aside);
    return {
      there,
      restored,
      lacking,
      ...openings,
      days,
      movedAside: movedAside || openings.movedAside,
    };
  }

  async #blobElsewhere(hash: HashHex): Promise<Uint8Array | undefined> {
    const { sha256 } = this.#parts;
    for (const result of this.#results) {
      try {
        const bytes = await result.source?.blob(hash);
        if (bytes === undefined) continue;
        const found = hashHex(contentHash(sha256, bytes));
        if (found === hash) return bytes;
        tell(result, `the blob ${hash} has the hash ${found}`);
      } catch (error) {
        tell(result, messageOf(error));
      }
    }
    return undefined;
  }

  async #openings(
    commitments: ReadonlySet<HashHex>,
    aside: string,
  ): Promise<{
    readonly openingsThere: number;
    readonly openingsRestored: number;
    readonly openingsLacking: readonly HashHex[];
    readonly movedAside: boolean;
  }> {
    const { sha256, data } = this.#parts;
    const elsewhere = new Map<HashHex, PrivateFile[]>();
    for (const source of this.#sources) {
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
      const own = await readBounded(join(data, path), MAX_NOTE_BYTES).catch(
        () => new Uint8Array(0),
      );
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
        // A node does not start over an opening that opens nothing.
        await setAside(data, aside, path);
        movedAside = true;
      }
      if (found === undefined) {
        openingsLacking.push(commitment);
        continue;
      }
      await ensureFolder(this.#folder.openings, { mode: 0o700 });
      await writeDurable(join(data, path), found, { mode: 0o600 });
      openingsRestored += 1;
    }
    return { openingsThere, openingsRestored, openingsLacking, movedAside };
  }

  /** The days of ticks whose openings the folder does not have, after all sources were asked, as paths. */
  async #tickOpenings(days: ReadonlySet<string>): Promise<readonly string[]> {
    const { data } = this.#parts;
    const lacking: string[] = [];
    for (const day of days) {
      const paths = ['ticks', 'hours'].map((ending) => `tick-openings/${day}.${ending}`);
      const isThere = await Promise.all(paths.map((path) => isFound(join(data, path))));
      if (!isThere.includes(true)) lacking.push(paths[0] as string);
    }
    return lacking;
  }

  /** The seed of the ticks, where the log or the folder has ticks and the seed is in neither folder nor source. */
  async #seedLacking(days: ReadonlySet<string>): Promise<readonly LackingFile[]> {
    const path = 'keys/tick-seed';
    if (await isFound(join(this.#parts.data, path))) return [];
    const { tickOpenings } = this.#folder;
    const hasOpenings = async (): Promise<boolean> => {
      const found = await readdir(tickOpenings, { recursive: true, withFileTypes: true }).catch(
        () => [],
      );
      return found.some((each) => each.isFile());
    };
    if (days.size === 0 && !(await hasOpenings())) return [];
    const reason =
      'the secret behind the ticks of the Terminal: a node with terminal in its config does not start without it. ' +
      'Put a copy of it there, which --keys brings too';
    return [{ path, reason }];
  }

  /**
   * Writes what nothing serves and the folder lacks, from sources that are shown to be of this log, the newest first;
   * what is there stays. How many files were written, and those that no source has as they were.
   */
  async #privateFiles(): Promise<{
    readonly written: number;
    readonly lacking: readonly LackingFile[];
  }> {
    const { data } = this.#parts;
    const lacking = new Map<string, LackingFile>();
    let written = 0;
    for (const result of this.#results.toSorted((a, b) => (b.proven ?? 0) - (a.proven ?? 0))) {
      const { source, name, proven, faults } = result;
      if (source === undefined || name === data) continue;
      const named = (await source.privates()).filter(
        ({ path }) => !isKeyPath(path) && openingOf(path) === undefined,
      );
      if (proven === null) {
        if (named.length > 0) {
          faults.push(`${named.length} files were not taken, for it has no entries of the log`);
        }
        continue;
      }
      const files = named.filter(({ path }) => mayBeBackedUp(path));
      const [stranger] = named.filter(({ path }) => !mayBeBackedUp(path));
      if (stranger !== undefined) {
        const count = named.length - files.length;
        faults.push(`${count} files that no backup has were not taken, such as ${stranger.path}`);
      }
      const unread: string[] = [];
      for (const { path, read } of files) {
        const full = join(data, path);
        if (await isFound(full)) continue;
        let bytes: Uint8Array;
        try {
          bytes = await read();
        } catch (error) {
          unread.push(path);
          lacking.set(path, { path, reason: `${name}: ${messageOf(error)}` });
          continue;
        }
        await ensureFolder(join(full, '..'), { mode: 0o700 });
        await writeDurable(full, bytes, { mode: 0o600, exclusive: true });
        lacking.delete(path);
        result.files += 1;
        if (isConfigPath(path)) result.config.push(path);
        written += 1;
      }
      // An older source may have an older state of them.
      if (unread.length > 0) {
        faults.push(`${unread.length} files are not as they were kept, such as ${unread[0]}`);
      }
    }
    return { written, lacking: [...lacking.values()] };
  }

  /** The verifier over what is staged. Throws `refused` for what it finds, but for bytes that are listed as lost. */
  async #verify(store: LedgerStore, vkey: string): Promise<Verdict> {
    const note = await this.#guardNote();
    const blobs = FileBlobStore.reader(this.#folder.blobs);
    const verdict = await this.#parts.verify(
      {
        rows: () => store.rows(),
        guard: () => Promise.resolve(note),
        async blob(hash) {
          const found = await blobs.read(hash);
          if (found === undefined) return undefined;
          const chunks: Uint8Array[] = [];
          for await (const chunk of found.chunks()) chunks.push(chunk);
          return new Uint8Array(Buffer.concat(chunks));
        },
      },
      vkey,
    );
    if (verdict.outcome === 'incomplete') {
      throw new Fault('refused', 'restore', {
        expected: 'a verification of what was restored',
        found: verdict.reason,
      });
    }
    const findings = findingsOf(verdict).filter(({ code }) => !MISSING.has(code));
    if (findings.length === 0 || this.#parts.acceptFindings) return verdict;
    const [first] = findings;
    throw new Fault('refused', 'restore', {
      expected:
        'a log that the verifier finds nothing in; --accept-findings puts one into place whose entries were ' +
        'published with them',
      found: `${findings.length}, the first: ${first?.code} at ${first?.place}: expected ${first?.expected}, found ${first?.found}`,
    });
  }

  /** Whether the note that readers were shown last is of a head that the log does not reach. */
  async #isAhead(size: number, key: NoteKey): Promise<boolean> {
    const note = await readBounded(this.#folder.shown, MAX_NOTE_BYTES).catch(() => undefined);
    if (note === undefined) return false;
    try {
      return openMirrored(key, note).checkpoint.size > size;
    } catch {
      return true;
    }
  }
}

async function isFound(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function findingsOf(verdict: Verdict): readonly {
  readonly code: string;
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}[] {
  return verdict.outcome === 'verified' ? [] : verdict.findings;
}

/** How many findings there are, also those that a verdict has no room for. */
function countOf(verdict: Verdict): number {
  return verdict.outcome === 'findings' ? verdict.findings_count : findingsOf(verdict).length;
}

function originIn(note: Uint8Array): string | undefined {
  try {
    return parseCheckpoint(parseNote(note).text).origin;
  } catch {
    return undefined;
  }
}

/** The origin that entry 0 of a source names; nothing of it is signed. */
async function originOfEntries({ tile, unsigned }: Source): Promise<string | undefined> {
  const width = Math.min(TILE_WIDTH, unsigned?.size ?? 0);
  if (width === 0) return undefined;
  try {
    const path = formatTilePath({ level: 'entries', index: 0, width });
    const [first] = parseEntryBundle(await tile(path, width * (2 + MAX_ENTRY_BYTES)), width);
    return first === undefined ? undefined : parseGenesis(parseEntry(first).body, 'body').origin;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Whether two notes are of one text, whatever lines they have. */
function sameText(a: Uint8Array, b: Uint8Array): boolean {
  try {
    return parseNote(a).text === parseNote(b).text;
  } catch {
    return false;
  }
}
