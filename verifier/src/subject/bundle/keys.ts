import type { HashHex } from '@assay/core/hash/hash';
import { checkpointKeyChangesView } from '@assay/core/view/key/checkpoint-key-changes';
import { cosignerSetsView } from '@assay/core/view/cosigner-sets';
import { keyChangesView } from '@assay/core/view/key/key-changes';
import { logView } from '@assay/core/view/log';
import type { ReportKey } from '@assay/core/view/key/keys';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import type { BundleEntry } from './recount.ts';
import type { Environment } from '../../verdict/environment.ts';
import {
  checkCheckpointKey,
  checkCheckpointKeySignatures,
} from '../../check/checkpoint-key-check.ts';
import { checkKeyEntry, checkKeySignatures } from '../../check/key-check.ts';
import type { CheckContext } from '../../check/read-check.ts';
import type { NotCheckedList } from '../../verdict/verdict.ts';

const VIEWS = [logView, cosignerSetsView, keyChangesView, checkpointKeyChangesView];

/**
 * The rows of a log's report keys and checkpoint keys, each key checked as in a whole log. `entries` are those of a bundle or of the
 * log's keys, in their order.
 */
export async function checkBundleKeys(
  entries: readonly BundleEntry[],
  log: HashHex,
  environment: Pick<Environment, 'sha256' | 'verifySignature'>,
  context: Pick<CheckContext, 'findings' | 'tally'>,
): Promise<ViewState> {
  const { sha256 } = environment;
  const state = new MemoryViews();
  for (const { seq, at, known } of entries) {
    if (known.kind === 'key/1') {
      const place = `bundle entry ${seq}`;
      checkKeyEntry(known.body, place, state, sha256, context.findings);
      await checkKeySignatures(known.body, log, place, environment, context);
    }
    if (known.kind === 'key/2') {
      const place = `bundle entry ${seq}`;
      checkCheckpointKey(known.body, seq, place, state, sha256, context.findings);
      await checkCheckpointKeySignatures(known.body, log, place, environment, context);
    }
    for (const view of VIEWS) state.write(view.apply({ ...known, seq, at, log }, state, sha256));
  }
  return state;
}

/**
 * Names what only the whole log shows of a checkpoint key that took the place of the first: that no entry was left out
 * which replaced the recovery key before it signed the promise.
 */
export function nameCheckpointKey(
  { number, vkey }: { readonly number: number; readonly vkey: string },
  notChecked: NotCheckedList,
): void {
  notChecked.add(
    'trust',
    `that no key/1 which the bundle leaves out had replaced a recovery key by which checkpoint key ${number}, ${vkey}, came`,
    'whoever has the key before it and an earlier recovery key could make such a bundle; verify the URL or the folder, or name the key in the policy',
    'whole_log',
  );
}

/**
 * Names what may have followed a bundle's newest report key. `index` is the entry whose list of keys is that of the
 * bundle; undefined where it has none. A key that was left out after that entry, or after the newest key, shows
 * nowhere.
 */
export function nameNewestKey(
  keys: readonly ReportKey[],
  index: number | undefined,
  notChecked: NotCheckedList,
): void {
  const newest = keys.at(-1);
  if (newest === undefined) return;
  const behind = Math.max(newest.seq, index ?? 0);
  const left =
    index === undefined
      ? 'the bundle has no index entry, whose list of keys would show one that was left out: what it calls settled may rest on a key that was revoked'
      : 'a bundle has the report keys that its maker put in';
  notChecked.add(
    'trust',
    `that no key/1 after entry ${behind} replaces or revokes report key ${newest.number}, ${newest.key}`,
    `${left}; verify the URL or the folder for any others`,
    'whole_log',
  );
}
