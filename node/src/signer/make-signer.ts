import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { parseGenesis } from '@assay/core/kind/genesis';
import { closeMessage } from '@assay/core/report/close';
import { formatPrint, printOf } from '@assay/core/report/print';
import { closesOf, firstClose, newestClose } from '@assay/core/view/closes';
import { newestCheckpointKey } from '@assay/core/view/key/checkpoint-keys';
import { keyHash, keysOf } from '@assay/core/view/key/keys';
import { recoveryInForce } from '@assay/core/view/key/recovery-key';
import type { MemoryViews } from '@assay/core/view/state';
import { type DateText, formatDate, parseDate } from '@assay/core/time/time';
import type { ReportRow } from '@assay/core/view/reports';
import type { DataFolder } from '../platform/data-folder.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { replay } from '../ledger/replay.ts';
import { storedSize } from '../ledger/start.ts';
import { closePlace, printPlace } from './signing-place.ts';
import { SigningMemory } from './signing-memory.ts';
import { type HsmTerms, type SignerFolder, type SignerTerms, writeTerms } from './signer-terms.ts';
import { ensureFolder } from '../platform/durable-file.ts';

/** What a new signer begins with. */
export interface MadeSigner {
  readonly terms: SignerTerms;
  /** The size of the head below which it signs nothing. */
  readonly size: number;
  /** How many prints and Closes of the log it knows, and never signs otherwise. */
  readonly prints: number;
  readonly closes: number;
  /** The report key that the log has in force, hex. */
  readonly reportKey: string;
}

/**
 * Makes the folder of a signer from the ledger of a stopped node: what the log is, its head, and each print and Close
 * that it has, which are read from its entries. Keys are not copied here. Throws `not_empty` where there is a signer,
 * and what the ledger throws.
 */
export async function makeSigner(
  sha256: Sha256,
  data: DataFolder,
  signer: SignerFolder,
  hsm: HsmTerms | null,
): Promise<MadeSigner> {
  const store = await openLevelStore(data.ledger);
  try {
    const first = await store.entry(0);
    if (first === undefined) throw new Fault('not_found', 'ledger', { expected: 'entry 0' });
    const genesis = parseGenesis(parseEntry(first).body, 'body');
    const log = hashHex(leafHash(sha256, first));
    const { size, root, views } = await replay(sha256, store, await storedSize(sha256, store));
    const keys = keysOf(views);
    const recovery = recoveryInForce(views);
    const newest = newestCheckpointKey(views, sha256);
    if (recovery === undefined || newest === undefined) {
      throw new Fault('ledger_corrupt', 'ledger', { expected: 'a genesis with a checkpoint key' });
    }
    const promised = keys.flatMap(({ key, next_key_sha256, recovery_key_sha256 }) => [
      keyHash(sha256, key),
      next_key_sha256,
      recovery_key_sha256,
    ]);
    const terms: SignerTerms = {
      type: 'assay-signer/1',
      log,
      origin: genesis.origin,
      checkpoint_key: newest.key,
      program: genesis.program,
      promised: [...new Set([...promised, recovery])],
      hsm,
    };
    await ensureFolder(signer.root, { mode: 0o700 });
    const memory = await SigningMemory.open(sha256, signer.memory, { create: true });
    try {
      const prints = [...printsOf(views)].map((row) => ({
        place: printPlace(row.report),
        message: messageHash(sha256, formatPrint(printOf(sha256, row.report))),
      }));
      const closes = [...closeRows(views)].map(({ content: { day }, version, hash }) => ({
        place: closePlace({ day, version }),
        message: messageHash(sha256, closeMessage(log, day, hash)),
      }));
      for (const rows of [prints, closes]) {
        for (let i = 0; i < rows.length; i += ROWS) await memory.keep(rows.slice(i, i + ROWS));
      }
      // The head is last: without it the memory is not whole, and no signer runs on it.
      await memory.keepHead({ size, root: hashHex(root) });
      // The terms come after everything else, and without them there is no signer.
      await writeTerms(signer, terms);
      const reportKey = keys.at(-1)?.key ?? genesis.report_key;
      return { terms, size, prints: prints.length, closes: closes.length, reportKey };
    } finally {
      await memory.close();
    }
  } finally {
    await store.close();
  }
}

/** Rows of one batch. */
const ROWS = 4096;

function messageHash(sha256: Sha256, message: Uint8Array): HashHex {
  return hashHex(contentHash(sha256, message));
}

function* printsOf(views: MemoryViews): Generator<ReportRow> {
  for (const table of views.tables()) {
    if (!table.startsWith('reports/')) continue;
    for (const [, row] of views.list(table)) yield row as unknown as ReportRow;
  }
}

function* closeRows(views: MemoryViews): Generator<ReturnType<typeof closesOf>[number]> {
  const [first, last] = [firstClose(views), newestClose(views)];
  if (first === undefined || last === undefined) return;
  for (let day = parseDate(first); day <= parseDate(last); day += 1) {
    yield* closesOf(views, formatDate(day) as DateText);
  }
}
