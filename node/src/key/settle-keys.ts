import { Fault } from '@assay/core/fault';
import { type CheckpointTerm, checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import type { Ledger } from '../ledger/ledger.ts';
import { isStorageFault, storageFault } from '../platform/storage-fault.ts';
import type { KeyChangeParts } from './key-change.ts';
import { nameKeyFiles } from './key-files.ts';

/**
 * Finishes what an earlier change of a key left undone: the closing heads of checkpoint keys that have ended are kept, and
 * the key files get the names that the log gives them. Closing heads come first, because a node starts once the files have
 * their names. It can be interrupted and repeated. Throws `key_missing` for a closing head that is not kept and cannot be
 * made, and why the ledger is blocked if it is. Returns whether a change had been left undone.
 */
export async function settleKeys(parts: KeyChangeParts): Promise<boolean> {
  const { ledger, folder, sha256 } = parts;
  if (ledger.blocked !== undefined) throw ledger.blocked;
  const terms = checkpointTerms(ledger.tip);
  let isKept = false;
  for (const [i, term] of terms.entries()) {
    const after = terms[i + 1];
    if (after !== undefined && (await keepClosingHead(parts, term, after))) isKept = true;
  }
  const isNamed = await nameKeyFiles(folder, ledger.tip, sha256);
  return isKept || isNamed;
}

/**
 * Writes the entry of a change, and settles the keys after it. What is thrown behind the entry says that it is in the log,
 * because the same command would be another change.
 */
export async function commitChange(
  parts: KeyChangeParts,
  draft: Parameters<Ledger['write']>[0],
): Promise<void> {
  const { ledger, checkpoints, folder } = parts;
  const { vkey } = checkpoints;
  let isWritten = false;
  try {
    await ledger.write(draft);
    isWritten = true;
    await settleKeys(parts);
  } catch (error) {
    const fault = storageFault(error, 'change of keys');
    const isCommitted = isWritten || checkpoints.vkey !== vkey;
    if (!(fault instanceof Fault) || !(isCommitted || isStorageFault(fault))) throw fault;
    const title = `the entry of the change ${isCommitted ? 'is' : 'may be'} committed, and assay keys settle ${folder.root} finishes it; ${fault.message}`;
    throw new Fault(fault.code, title, { cause: fault });
  }
}

/**
 * Keeps the closing head of a key. The one of a rotation can be signed again as long as both keys are at hand; the one of a
 * recovery was put aside before the entry. False where there is nothing to keep.
 */
async function keepClosingHead(
  { ledger, checkpoints, closing }: KeyChangeParts,
  { number, last_size: last }: CheckpointTerm,
  after: CheckpointTerm,
): Promise<boolean> {
  if ((await closing.read(number)) !== undefined || last === null) return false;
  if (after.cause === 'recovery') {
    if (await closing.keepPrepared(number)) return true;
    throw lackingClosingHead(closing.path(number), number);
  }
  try {
    const root = await ledger.rootAt(last);
    await closing.keep(number, await checkpoints.sign(last, root, () => Promise.resolve([])));
    return true;
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'key_missing') throw cause;
    throw lackingClosingHead(closing.path(number), number);
  }
}

/** A closing head is not kept, and nothing at hand makes it. */
export function lackingClosingHead(path: string, number: number): Fault {
  return new Fault('key_missing', 'closing head', {
    at: path,
    expected: `the last signed head of checkpoint key ${number}: assay keys settle makes it where it can, and a mirror or an export has it as closing-head/${number}`,
    found: 'none there',
  });
}
