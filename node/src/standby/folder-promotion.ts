import { Fault, faultCode } from '@assay/core/fault';
import { formatHead } from '@assay/core/view/head';
import { RowsRoot } from '@assay/core/view/rows-root';
import { parseEntry } from '@assay/core/log/entry';
import { parseGenesis } from '@assay/core/kind/genesis';
import { parseHex } from '@assay/core/bytes/hex';
import { NOTE_COSIGNATURE, parseNoteKey } from '@assay/core/log/note';
import { type Hash, type Sha256, toHash } from '@assay/core/hash/hash';
import { FileBlobStore } from '../blob/file-blob-store.ts';
import { nodeCheckpoints, termsOf, unopenedCheckpoint } from '../key/checkpoint-files.ts';
import { openKey } from '../key/keystore.ts';
import { openReportKey, storedKeys } from '../key/report-keys.ts';
import { ClosingHeads } from '../ledger/closing-heads.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import { type KnownHead, loadStored, MOST_READ, type Stored } from '../ledger/start.ts';
import type { LedgerStore, SealedRow } from '../ledger/store/store.ts';
import { MIRROR_TABLE } from '../mirror/mirror-rows.ts';
import { dataFolder, keyPath } from '../platform/data-folder.ts';
import { FollowerMark } from '../postgres/followers.ts';
import { guardOptions } from '../postgres/guard-config.ts';
import { PostgresGuard } from '../postgres/postgres-guard.ts';
import { writerId } from '../postgres/writer-id.ts';
import type { Config, Environment } from '../production/config.ts';
import { fetchNote } from '../witness/client/mirror-heads.ts';
import { groundsOf } from './grounds.ts';
import { promote, type Promoted } from './promotion.ts';

/**
 * Makes the writer of a log of the node whose data folder a configuration names. `store` is the folder's database, which
 * nobody else writes. The keys are opened before anything is changed: a folder without them is refused (`key_missing`,
 * `key_locked`). The copy of a standby becomes a ledger. Throws what `promote` throws, and `bad_config` without a guard in a
 * database.
 */
export async function promoteFolder(
  config: Config,
  environment: Environment,
  sha256: Sha256,
  store: LedgerStore,
  fenced: string | undefined,
): Promise<Promoted> {
  const { head_guard: guardConfig } = config;
  if (guardConfig.kind !== 'postgres') {
    throw new Fault('bad_config', 'config', {
      at: 'head_guard',
      expected:
        'a guard in a database: one in the data folder itself cannot be taken from another machine',
      found: guardConfig.kind,
    });
  }
  if (config.signer !== null) {
    const expected = 'keys in the data folder: a promotion does not ask a process that has them';
    throw new Fault('bad_config', 'config', {
      at: 'signer',
      expected,
      found: config.signer.socket,
    });
  }
  const folder = dataFolder(config.data);
  const first = await store.entry(0);
  if (first === undefined) {
    throw new Fault('ledger_behind', 'ledger', { expected: 'entry 0', found: 'an empty folder' });
  }
  const genesis = parseGenesis(parseEntry(first).body, 'body');
  const passphrase = environment['ASSAY_PASSPHRASE'];
  const keys = { passphrase: passphrase === '' ? undefined : passphrase };
  const known = await storedKeys(sha256, store);
  const terms = termsOf(genesis, known.checkpoint);
  const checkpoint = await openKey(keyPath(folder, 'checkpoint'), keys).catch(
    async (error: unknown) => {
      throw error instanceof Fault
        ? await unopenedCheckpoint({ sha256, terms }, folder, error)
        : error;
    },
  );
  const closing = new ClosingHeads(folder.root);
  const of = { sha256, origin: genesis.origin, terms, closing };
  const signer = await nodeCheckpoints(of, folder, checkpoint);
  const inForce = known.report.at(-1)?.key ?? genesis.report_key;
  await openReportKey(folder, inForce, keys);

  const stored = await loadStored(sha256, store, { beside: MIRROR_TABLE, most: MOST_READ });
  const signed: KnownHead[] = [];
  if (stored !== undefined && stored.beside.length > 0) {
    // What a mirror holds was under a signed head when it took it, so a row with less is an old one.
    const { size, root } = stored.head;
    signed.push({
      holder: 'the copy in this folder',
      checkpoint: { size, root: toHash(parseHex(root)) },
    });
  }
  const accepted = await acceptedNote(folder.accepted);
  for (const held of [accepted, await ledgerNote(folder.head)]) {
    if (held === undefined) continue;
    signed.push({ holder: 'this folder', checkpoint: signer.open(held) });
  }
  const options = await guardOptions(guardConfig, environment, genesis.origin);
  const guard = new PostgresGuard(options);
  try {
    const promoted = await promote({
      sha256,
      guard,
      writer: await writerId(folder.writer),
      stored,
      blobs: FileBlobStore.reader(folder.blobs),
      signed,
      grounds: () =>
        groundsOf(fenced, {
          witnesses: config.witnesses.map(({ url, vkey }) => ({
            url,
            key: parseNoteKey(sha256, vkey, NOTE_COSIGNATURE),
          })),
          required: genesis.policies.witnesses_required,
          signer,
          fetchNote,
          size: stored?.head.size ?? 0,
          cosigned: accepted,
        }),
    });
    // From here on this folder is the writer's, whatever else fails.
    await becomeLedger(sha256, store, stored);
    if (config.standby !== null) {
      const mark = new FollowerMark(options, genesis.origin, config.standby.name);
      await mark.forget().catch(() => undefined);
      mark.end();
    }
    return promoted;
  } finally {
    await guard.close();
  }
}

/** The newest head that a mirror has accepted. It may be the only one that knows of a longer log, so a damaged one is thrown. */
async function acceptedNote(path: string): Promise<Uint8Array | undefined> {
  return (await FileNoteSlot.peek(path))?.note;
}

async function ledgerNote(path: string): Promise<Uint8Array | undefined> {
  try {
    return (await FileNoteSlot.peek(path))?.note;
  } catch (error) {
    // The note of a ledger is a convenience of its readers, and is signed again.
    if (faultCode(error) === 'guard_corrupt') return undefined;
    throw error;
  }
}

/** Takes the rows of a mirror out of a database: what is left is a ledger, which proves its rows before it signs anything. */
async function becomeLedger(
  sha256: Sha256,
  store: LedgerStore,
  stored: Stored | undefined,
): Promise<void> {
  if (stored === undefined || stored.beside.length === 0) return;
  const { size, root } = stored.head;
  const rows = new RowsRoot(stored.sum);
  for (const { digest } of stored.beside) rows.remove(digest as Hash);
  await store.rewrite(size, {
    views: stored.mended?.rows.sealed() ?? rowsOfViews(store),
    head: formatHead(sha256, { size, root, ...rows.sum() }),
  });
  await stored.mended?.rows.drop();
}

async function* rowsOfViews(store: LedgerStore): AsyncGenerator<SealedRow> {
  for await (const row of store.views()) if (row.table !== MIRROR_TABLE) yield row;
}
