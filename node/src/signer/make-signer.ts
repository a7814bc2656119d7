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
import type { ViewState } from '@assay/core/view/view';
import { type DateText, formatDate, parseDate } from '@assay/core/time/time';
import type { ReportRow } from '@assay/core/view/reports';
import type { DataFolder } from '../platform/data-folder.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { type DerivedRows, deriveRows } from '../ledger/derived/derived-rows.ts';
import { openRow } from '../ledger/store/sealed-row.ts';
import { storedSize } from '../ledger/start.ts';
import { closePlace, printPlace } from './signing-place.ts';
import { type Row, SigningMemory } from './signing-memory.ts';
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
  // With it, what was derived is gone as well.
  try {
    const first = await store.entry(0);
    if (first === undefined) throw new Fault('not_found', 'ledger', { expected: 'entry 0' });
    const genesis = parseGenesis(parseEntry(first).body, 'body');
    const log = hashHex(leafHash(sha256, first));
    const { size, root, rows } = await deriveRows(sha256, store, await storedSize(sha256, store));
    const { views } = rows;
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
      const prints = await keepAll(memory, printsOf(sha256, rows));
      const closes = await keepAll(memory, closesIn(sha256, views, log));
      // The head is last: without it the memory is not whole, and no signer runs on it.
      await memory.keepHead({ size, root: hashHex(root) });
      // The terms come after everything else, and without them there is no signer.
      await writeTerms(signer, terms);
      const reportKey = keys.at(-1)?.key ?? genesis.report_key;
      return { terms, size, prints, closes, reportKey };
    } finally {
      await memory.close();
    }
  } finally {
    await store.close();
  }
}

/** Rows of one batch. */
const ROWS = 4096;

/** Returns how many there were. */
async function keepAll(memory: SigningMemory, rows: AsyncIterable<Row>): Promise<number> {
  let count = 0;
  let batch: Row[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < ROWS) continue;
    await memory.keep(batch);
    count += batch.length;
    batch = [];
  }
  if (batch.length > 0) await memory.keep(batch);
  return count + batch.length;
}

function messageHash(sha256: Sha256, message: Uint8Array): HashHex {
  return hashHex(contentHash(sha256, message));
}

async function* printsOf(sha256: Sha256, rows: DerivedRows): AsyncGenerator<Row> {
  for await (const row of rows.sealed()) {
    if (!row.table.startsWith('reports/')) continue;
    const { report } = openRow(sha256, row).value as unknown as ReportRow;
    const message = messageHash(sha256, formatPrint(printOf(sha256, report)));
    yield { place: printPlace(report), message };
  }
}

async function* closesIn(sha256: Sha256, views: ViewState, log: HashHex): AsyncGenerator<Row> {
  const [first, last] = [firstClose(views), newestClose(views)];
  if (first === undefined || last === undefined) return;
  for (let number = parseDate(first); number <= parseDate(last); number += 1) {
    for (const { content, version, hash } of closesOf(views, formatDate(number) as DateText)) {
      const { day } = content;
      const message = messageHash(sha256, closeMessage(log, day, hash));
      yield { place: closePlace({ day, version }), message };
    }
  }
}
