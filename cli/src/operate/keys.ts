import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '@assay/core/fault';
import type { KeyEntry } from '@assay/core/kind/key';
import { keyHash, keysOf } from '@assay/core/view/keys';
import { logRow } from '@assay/core/view/log';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import type { Terminal } from '../command/tty.ts';

export const keysHelp = `assay keys show    FOLDER
assay keys rotate  FOLDER  [--next FILE] [--stolen] [--mirror URL] [--rpc URL] [--yes]
assay keys recover FOLDER  [--recovery FILE] [--next FILE | --fresh] [--stolen] [--mirror URL]
                           [--yes]

The report keys of a log at rest: the node must be stopped. docs/keys.md has the ceremony.

show     the keys of the log, and which of their files lie in the folder
rotate   puts the promised key in the place of the report key, and makes and promises another
recover  puts a key in the place of one that was lost or stolen, by the recovery key

rotate and recover say what they would do; they write with --yes alone. Of a log with feeds on
chain, rotate demands that they have the promised key in force: assay chain rotate, a week before.
The old key's file stays, as report-N.json: keep it until no feed has its key.

  --next FILE      the promised key, where it is kept elsewhere
  --recovery FILE  the recovery key, where it is kept elsewhere
  --fresh          makes a new key instead of the promised one, which is lost or stolen too
  --stolen         the key in force is in strange hands: nothing that it signs counts from here on
  --mirror URL     a place that serves a copy of the log: refuses where its head is newer;
                   may be repeated
  --rpc URL        a Solana node; or in ASSAY_SOLANA_RPC

ASSAY_PASSPHRASE unlocks key files, and locks those that are made.

Exit code: 0 done, 2 usage, 3 could not be completed.`;

type Environment = Readonly<Record<string, string | undefined>>;

export async function keysCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      next: { type: 'string' },
      recovery: { type: 'string' },
      fresh: { type: 'boolean' },
      stolen: { type: 'boolean' },
      mirror: { type: 'string', multiple: true },
      rpc: { type: 'string' },
      yes: { type: 'boolean' },
    },
  });
  const [action = '', path, ...rest] = positionals;
  if (!['show', 'rotate', 'recover'].includes(action) || path === undefined || rest.length > 0) {
    throw new UsageError('keys takes show, rotate or recover, and a data folder');
  }
  if (action === 'show') return showKeys(resolve(path), terminal);
  if (action === 'rotate' && (values.fresh === true || values.recovery !== undefined)) {
    throw new UsageError('keys rotate takes no --fresh and no --recovery: that is keys recover');
  }
  if (values.fresh === true && values.next !== undefined) {
    throw new UsageError('--fresh makes a key: it goes without --next');
  }
  const root = resolve(path);
  if (action === 'rotate') await requireFeedsFirst(root, values.next, values.rpc, environment);
  if (values.yes !== true) {
    await showKeys(root, terminal);
    terminal.out('');
    terminal.out(`Nothing was written: a key is for good. Say --yes to ${action}.`);
    return EXIT.ok;
  }
  const entry = await changed(root, values.mirror ?? [], environment, async (parts) => {
    const { recoverReportKey, rotateReportKey } = await import('@assay/node/key/key-change');
    const { next, recovery } = values;
    const revoked = values.stolen === true;
    if (action === 'rotate') return rotateReportKey(parts, { revoked, next });
    return recoverReportKey(parts, { revoked, next, recovery, fresh: values.fresh === true });
  });
  for (const line of wordsOf(entry, root)) terminal.out(line);
  for (const line of await witnessWords(root)) terminal.out(line);
  return EXIT.ok;
}

function wordsOf(entry: KeyEntry, root: string): readonly string[] {
  const recovers = entry.cause === 'recovery';
  return [
    `Key ${entry.number} is in force: ${entry.key}`,
    `  in the place of ${entry.replaces}${entry.revoked ? ', in strange hands' : ''}`,
    `  it promises the key of ${entry.next_key_sha256}`,
    '',
    `Move ${root}/keys/next-report.json to a place that is not this machine.`,
    ...(recovers
      ? [
          `Move ${root}/keys/recovery.json there too: it is another recovery key now. Keep the one before:`,
          'feeds on chain know no other. Of a log with feeds: assay chain rotate, at once.',
        ]
      : []),
  ];
}

/** When readers see the entry, where that is not at once. */
async function witnessWords(root: string): Promise<readonly string[]> {
  const { foldFolder } = await import('../chain/chain-log.ts');
  const required = logRow(await foldFolder(root))?.policies.witnesses_required ?? 0;
  if (required === 0) return [];
  return [
    `The log requires the lines of ${required} witnesses: the entry is committed, and readers are shown it once`,
    'the node runs and so many have cosigned it.',
  ];
}

async function showKeys(root: string, terminal: Terminal): Promise<ExitCode> {
  const [{ foldFolder }, { dataFolder }, { keyFiles }, { nodeSha256 }] = await Promise.all([
    import('../chain/chain-log.ts'),
    import('@assay/node/platform/data-folder'),
    import('@assay/node/key/report-keys'),
    import('@assay/node/platform/node-sha256'),
  ]);
  const views = await foldFolder(root);
  const files = [...(await keyFiles(dataFolder(root)))];
  const fileOf = (hash: string): string => {
    const found = files.find(([, key]) => keyHash(nodeSha256, key) === hash);
    return found === undefined ? 'not in this folder' : `keys/${found[0]}`;
  };
  const log = logRow(views);
  if (log === undefined) throw new Fault('not_found', 'genesis', { at: root });
  terminal.out(`Report keys of ${log.origin}`);
  const rows = keysOf(views);
  for (const { number, key, cause, seq, to_seq: end, revoked } of rows) {
    terminal.out(`  key ${number}  ${key}  ${fileOf(keyHash(nodeSha256, key))}`);
    const until = end === null ? 'in force' : `ended by entry ${end}${revoked ? ', stolen' : ''}`;
    terminal.out(`         ${cause}, from entry ${seq} on; ${until}`);
  }
  const now = rows.at(-1);
  if (now === undefined) return EXIT.ok;
  terminal.out(`  next   sha256 ${now.next_key_sha256}  ${fileOf(now.next_key_sha256)}`);
  terminal.out(`  recovery sha256 ${now.recovery_key_sha256}  ${fileOf(now.recovery_key_sha256)}`);
  return EXIT.ok;
}

/**
 * Throws `refused` where a feed of the log does not have the promised key in force, with the key after it that lies in
 * the folder: in the other order the chain would wait a week for a key that the log has replaced.
 */
async function requireFeedsFirst(
  root: string,
  next: string | undefined,
  rpc: string | undefined,
  environment: Environment,
): Promise<void> {
  const { foldFolder } = await import('../chain/chain-log.ts');
  if (logRow(await foldFolder(root))?.chain == null) return;
  const { rpcOption } = await import('../chain/options.ts');
  const { openFeeds } = await import('../chain/rotate.ts');
  const options = { rpc: rpcOption(rpc, environment), data: root, payer: undefined };
  const { client, keys, tickers, place, folder, now } = await openFeeds(options, environment);
  const [{ feedStep }, { bringNextKey }, { keyFiles }] = await Promise.all([
    import('@assay/node/feed/feed-step'),
    import('@assay/node/key/key-change'),
    import('@assay/node/key/report-keys'),
  ]);
  const promise = keys.at(-1)?.next_key_sha256;
  if (next !== undefined && promise !== undefined) await bringNextKey(place, next, promise);
  const hashes = new Map(
    [...(await keyFiles(folder))].map(([name, key]) => [name, keyHash(place.sha256, key)]),
  );
  for (const ticker of tickers) {
    const held = await client.feed(ticker);
    if (held === undefined) continue;
    const step = feedStep(held.account, keys, place.sha256, now);
    if (step.kind === 'done' && step.afterHash === hashes.get('later-report.json')) continue;
    throw new Fault('refused', 'key', {
      at: `the feed of ${ticker}`,
      expected: 'the promised key in force on chain, with the key after it in later-report.json',
      found: step.kind === 'done' ? 'another key after it' : `it ${STEP_WORDS[step.kind]}`,
    });
  }
}

const STEP_WORDS = {
  waits: 'waits on chain',
  due: 'is still to be asked for: assay chain rotate',
  stuck: 'never comes: the feed has promised another key',
} as const;

/** Opens the log of a folder for a change, and closes it. */
async function changed(
  root: string,
  mirrors: readonly string[],
  environment: Environment,
  work: (parts: Parameters<KeyChange>[0]) => ReturnType<KeyChange>,
): ReturnType<KeyChange> {
  const [{ openRest }, { dataFolder }, { nodeSha256 }, { systemClock }] = await Promise.all([
    import('@assay/node/data/open-rest'),
    import('@assay/node/platform/data-folder'),
    import('@assay/node/platform/node-sha256'),
    import('@assay/node/platform/clock'),
  ]);
  const passphrase = environment['ASSAY_PASSPHRASE'] || undefined;
  const folder = dataFolder(root);
  const ledger = await openRest(folder, nodeSha256, systemClock, { passphrase, mirrors });
  try {
    return await work({ folder, ledger, sha256: nodeSha256, passphrase });
  } finally {
    await ledger.close();
  }
}

type KeyChange = typeof import('@assay/node/key/key-change').rotateReportKey;
