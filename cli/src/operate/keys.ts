import { resolve } from 'node:path';
import { Fault } from '@assay/core/fault';
import type { KeyEntry } from '@assay/core/kind/key';
import { keyHash, keysOf } from '@assay/core/view/keys';
import { logRow } from '@assay/core/view/log';
import { command, type Environment, type Given, group, type Group } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { requireDataFolder } from '../reader/data-reader.ts';
import type { Terminal } from '../command/tty.ts';

const NEXT = option('FILE')`
  The promised key, where it is kept elsewhere.`;
const CHANGE_OPTIONS = {
  next: NEXT,
  stolen: flag`
    The key in force was stolen. Nothing that it signs counts from here on.`,
  mirror: option('URL', { many: true })`
    A place that serves a copy of the log. The command refuses to go on where the head of that
    copy is newer.`,
  yes: flag`
    Write the change. Without it the command only says what it would do.`,
} as const;
const ROTATE_OPTIONS = {
  ...CHANGE_OPTIONS,
  rpc: option('URL')`
    A Solana node, for a log with feeds on chain.`,
} as const;
const RECOVER_OPTIONS = {
  ...CHANGE_OPTIONS,
  recovery: option('FILE')`
    The recovery key, where it is kept elsewhere.`,
  fresh: flag`
    Make a new key instead of taking the promised one, which is lost or stolen too.`,
} as const;
const DATA = {
  value: 'DATA',
  about: 'The data folder of the log, whose node is stopped.',
} as const;
const PASSPHRASE = 'Unlocks key files, and locks those that are made.';

const showCommand = command({
  name: 'keys show',
  summary: 'Show the report keys of a log, and where their files are.',
  about: 'Shows the report keys of a log, and which of their files are in the folder.',
  operands: { data: DATA },
  options: {},
  examples: {
    'assay keys show data': 'See which key is in force.',
  },
  run: ({ data }, terminal) => showKeys(resolve(data), terminal),
});

const rotateCommand = command({
  name: 'keys rotate',
  summary: 'Replace the report key with the promised key.',
  about: `Replaces the report key with the promised key, and makes and promises another. Without --yes it prints what it would do and writes nothing.

    Where the log has feeds on chain, they must have the promised key in force already: assay chain rotate sees to that, a week before. The file of the old key stays, as report-N.json. Keep it until no feed has its key. docs/keys.md describes the ceremony.`,
  operands: { data: DATA },
  options: ROTATE_OPTIONS,
  variables: {
    ASSAY_PASSPHRASE: PASSPHRASE,
    ASSAY_SOLANA_RPC:
      'A Solana node, where --rpc is not given. An address with a key belongs here.',
  },
  examples: {
    'assay keys rotate data --next /media/usb/next-report.json --yes':
      'Change to the promised key, which is on a USB stick.',
  },
  run: async ({ data, ...given }, terminal, environment) => {
    const root = resolve(data);
    await requireFeedsFirst(root, given.next, given.rpc, environment);
    return change('rotate', root, given, terminal, environment);
  },
});

const recoverCommand = command({
  name: 'keys recover',
  summary: 'Replace a report key that was lost or stolen, with the recovery key.',
  about: `Replaces a key that was lost or stolen, with the recovery key. Without --yes it prints what it would do and writes nothing.

    The file of the old key stays, as report-N.json. Keep it until no feed has its key. docs/keys.md describes the ceremony.`,
  operands: { data: DATA },
  options: RECOVER_OPTIONS,
  atMostOne: [['fresh', 'next']],
  variables: { ASSAY_PASSPHRASE: PASSPHRASE },
  examples: {
    'assay keys recover data --stolen --recovery /media/usb/recovery.json --yes':
      'Replace a key that somebody has stolen.',
  },
  run: ({ data, ...given }, terminal, environment) =>
    change('recover', resolve(data), given, terminal, environment),
});

export const keysCommand: Group = group({
  name: 'keys',
  summary: 'Replace the report key of a log: as planned, or because it was lost or stolen.',
  about:
    'Works on the report keys of a log whose node is stopped. docs/keys.md describes the ceremony.',
  commands: [showCommand, rotateCommand, recoverCommand],
});

async function change(
  action: 'rotate' | 'recover',
  root: string,
  given: Given<typeof CHANGE_OPTIONS> & Partial<Given<typeof RECOVER_OPTIONS>>,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  await requireDataFolder(root);
  if (!given.yes) {
    await showKeys(root, terminal);
    terminal.out('');
    terminal.out(`Nothing was written: a change of keys cannot be undone. Add --yes to ${action}.`);
    return EXIT.ok;
  }
  const entry = await changed(root, given.mirror, environment, async (parts) => {
    const { recoverReportKey, rotateReportKey } = await import('@assay/node/key/key-change');
    const { next, recovery, fresh = false } = given;
    const revoked = given.stolen;
    if (action === 'rotate') return rotateReportKey(parts, { revoked, next });
    return recoverReportKey(parts, { revoked, next, recovery, fresh });
  });
  for (const line of textOf(entry, root)) terminal.out(line);
  for (const line of await witnessText(root)) terminal.out(line);
  return EXIT.ok;
}

function textOf(entry: KeyEntry, root: string): readonly string[] {
  const recovers = entry.cause === 'recovery';
  return [
    `Key ${entry.number} is in force: ${entry.key}`,
    `  it replaces ${entry.replaces}${entry.revoked ? ', which was stolen' : ''}`,
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

/** When readers see the entry, if that is not at once. */
async function witnessText(root: string): Promise<readonly string[]> {
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
  terminal.out(`  checkpoint key, for readers  ${log.checkpoint_vkey}`);
  return EXIT.ok;
}

/**
 * Throws `refused` if a feed of the log does not have the promised key in force, with the key after it from the
 * folder. In the other order the chain would wait a week for a key that the log has replaced.
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
