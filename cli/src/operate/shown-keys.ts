import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { parseNoteKey } from '@assay/core/log/note';
import {
  type CheckpointTerm,
  checkpointTerms,
  promisedCheckpointKey,
} from '@assay/core/view/key/checkpoint-keys';
import { keyHash, keysOf } from '@assay/core/view/key/keys';
import { logRow } from '@assay/core/view/log';
import { recoveryInForce } from '@assay/core/view/key/recovery-key';
import type { ViewState } from '@assay/core/view/view';
import type { Terminal } from '../command/tty.ts';

/** Lists the keys of a log, what is promised, and which file of the folder has each of them. */
export async function showKeys(root: string, terminal: Terminal): Promise<void> {
  const { withFoldedRows } = await import('../reader/folded-rows.ts');
  await withFoldedRows(root, (views) => showKeysOf(views, root, terminal));
}

async function showKeysOf(views: ViewState, root: string, terminal: Terminal): Promise<void> {
  const [{ dataFolder }, { readKeyFiles }, { nodeSha256 }, { ClosingHeads }] = await Promise.all([
    import('@assay/node/platform/data-folder'),
    import('@assay/node/key/report-keys'),
    import('@assay/node/platform/node-sha256'),
    import('@assay/node/ledger/closing-heads'),
  ]);
  const { files: readable, unread } = await readKeyFiles(dataFolder(root));
  const files = [...readable];
  const fileOf = (hash: string): string => {
    const found = files.find(([, key]) => keyHash(nodeSha256, key) === hash);
    return found === undefined ? 'not in this folder' : `keys/${found[0]}`;
  };
  const closing = new ClosingHeads(root);
  const log = logRow(views);
  if (log === undefined) throw new Fault('not_found', 'genesis', { at: root });
  terminal.out(`Report keys of ${log.origin}`);
  const rows = keysOf(views);
  for (const { number, key, cause, seq, to_seq: end, revoked } of rows) {
    terminal.out(`  key ${number}  ${key}  ${fileOf(keyHash(nodeSha256, key))}`);
    const until = end === null ? 'in force' : `ended by entry ${end}${revoked ? ', stolen' : ''}`;
    terminal.out(`         ${cause}, from entry ${seq} on; ${until}`);
  }
  const [now, recovery] = [rows.at(-1), recoveryInForce(views)];
  if (now === undefined || recovery === undefined) return;
  terminal.out(`  next   sha256 ${now.next_key_sha256}  ${fileOf(now.next_key_sha256)}`);
  terminal.out(`  recovery sha256 ${recovery}  ${fileOf(recovery)}`);
  terminal.out(`Checkpoint keys of ${log.origin}`);
  const terms = checkpointTerms(views);
  for (const term of terms) {
    const { number, vkey, last_size: last } = term;
    const key = formatHex(parseNoteKey(nodeSha256, vkey).publicKey);
    terminal.out(`  key ${number}  ${key}  ${fileOf(keyHash(nodeSha256, key))}`);
    terminal.out(`         ${termText(term)}`);
    if (last === null) continue;
    const isKept = (await closing.read(number)) !== undefined;
    terminal.out(`         closing head ${isKept ? `closing-head/${number}` : 'NOT KEPT'}`);
  }
  terminal.out(`  next   ${promiseText(views, terms.length, fileOf)}`);
  terminal.out(`  checkpoint key, for readers  ${terms.at(-1)?.vkey ?? log.checkpoint_vkey}`);
  if (unread.size > 0) terminal.out('Files that cannot be read: mend them, or move them away');
  for (const [name, { message, code }] of unread) {
    terminal.out(`  keys/${name}  ${message} [${code}]`);
  }
}

function termText({ cause, seq, above, last_size: last }: CheckpointTerm): string {
  const from = cause === 'genesis' ? 'genesis' : `${cause} by entry ${seq}`;
  if (last === null) return `${from}, signs heads above ${above} entries; in force`;
  return `${from}, signs heads above ${above} entries up to ${last}`;
}

function promiseText(views: ViewState, number: number, fileOf: (hash: string) => string): string {
  const promise = promisedCheckpointKey(views, number);
  if (promise === undefined) return 'not promised: assay keys promise-checkpoint';
  return `sha256 ${promise.hash}, promised by entry ${promise.seq}  ${fileOf(promise.hash)}`;
}
