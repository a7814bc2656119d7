import { resolve } from 'node:path';
import { Fault } from '@assay/core/fault';
import type { KeyEntry } from '@assay/core/kind/key';
import { keyHash } from '@assay/core/view/key/keys';
import { logRow } from '@assay/core/view/log';
import { command, type Environment, type Given, group, type Group } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { requireDataFolder } from '../reader/data-reader.ts';
import type { Terminal } from '../command/tty.ts';
import {
  promiseCheckpointCommand,
  recoverCheckpointCommand,
  rotateCheckpointCommand,
  settleCommand,
} from './checkpoint-keys.ts';
import {
  CEREMONY_OPTIONS,
  CEREMONY_VARIABLES,
  ceremony,
  changed,
  DATA,
  finished,
} from './ceremony.ts';
import { showKeys } from './shown-keys.ts';

const NEXT = option('FILE')`
  The promised key, where it is kept elsewhere.`;
const CHANGE_OPTIONS = {
  next: NEXT,
  stolen: flag`
    The key in force was stolen. Nothing that it signs counts from here on.`,
  ...CEREMONY_OPTIONS,
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

const showCommand = command({
  name: 'keys show',
  summary: 'Show the keys of a log, and where their files are.',
  about:
    'Shows the report keys and the checkpoint keys of a log, what is promised, and which of their files are in the folder.',
  operands: { data: DATA },
  options: {},
  examples: {
    'assay keys show data': 'See which key is in force.',
  },
  async run({ data }, terminal) {
    const root = resolve(data);
    await requireDataFolder(root);
    await showKeys(root, terminal);
    return EXIT.ok;
  },
});

const rotateCommand = command({
  name: 'keys rotate',
  summary: 'Replace the report key with the promised key.',
  about: `Replaces the report key with the promised key, and makes and promises another. Without --yes it prints what it would do and writes nothing.

    Where the log has feeds on chain, they must have the promised key in force already: assay chain rotate sees to that, a week before. The file of the old key stays, as report-N.json. Keep it until no feed has its key. docs/keys.md describes the ceremony.`,
  operands: { data: DATA },
  options: ROTATE_OPTIONS,
  variables: {
    ...CEREMONY_VARIABLES,
    ASSAY_SOLANA_RPC:
      'A Solana node, where --rpc is not given. An address with a key belongs here.',
  },
  examples: {
    'assay keys rotate data --next /media/usb/next-report.json --yes':
      'Change to the promised key, which is on a USB stick.',
  },
  run: async ({ data, ...given }, terminal, environment) => {
    const root = resolve(data);
    if (await hasFeeds(root)) {
      // The feeds of a change that was cut short have the key that the log has already.
      const done = given.yes ? await changed(root, given, environment, finished) : undefined;
      if (done !== undefined) {
        for (const line of done) terminal.out(line);
        return EXIT.ok;
      }
      await requireFeedsFirst(root, given.next, given.rpc, environment);
    }
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
  variables: CEREMONY_VARIABLES,
  examples: {
    'assay keys recover data --stolen --recovery /media/usb/recovery.json --yes':
      'Replace a key that somebody has stolen.',
  },
  run: ({ data, ...given }, terminal, environment) =>
    change('recover', resolve(data), given, terminal, environment),
});

export const keysCommand: Group = group({
  name: 'keys',
  summary: 'Replace a key of a log: as planned, or because it was lost or stolen.',
  about:
    'Works on the report keys and the checkpoint keys of a log whose node is stopped. docs/keys.md describes the ceremonies.',
  commands: [
    showCommand,
    rotateCommand,
    recoverCommand,
    promiseCheckpointCommand,
    rotateCheckpointCommand,
    recoverCheckpointCommand,
    settleCommand,
  ],
});

function change(
  action: 'rotate' | 'recover',
  root: string,
  given: Given<typeof CHANGE_OPTIONS> & Partial<Given<typeof RECOVER_OPTIONS>>,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  return ceremony(action, root, given, terminal, environment, async (parts) => {
    const { recoverReportKey, rotateReportKey } = await import('@assay/node/key/key-change');
    const { next, recovery, fresh = false } = given;
    const revoked = given.stolen;
    const entry =
      action === 'rotate'
        ? await rotateReportKey(parts, { revoked, next })
        : await recoverReportKey(parts, { revoked, next, recovery, fresh });
    return textOf(entry, root);
  });
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

async function hasFeeds(root: string): Promise<boolean> {
  const { withFoldedRows } = await import('../reader/folded-rows.ts');
  return withFoldedRows(root, (views) => logRow(views)?.chain != null);
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
  const { rpcOption } = await import('../chain/options.ts');
  const { openFeeds } = await import('../chain/rotate.ts');
  const options = { rpc: rpcOption(rpc, environment), data: root, payer: undefined };
  const { client, keys, tickers, place, folder, now } = await openFeeds(options, environment);
  const [{ feedStep }, { bringKey }, { keyFiles }] = await Promise.all([
    import('@assay/node/feed/feed-step'),
    import('@assay/node/key/key-files'),
    import('@assay/node/key/report-keys'),
  ]);
  const promise = keys.at(-1)?.next_key_sha256;
  if (next !== undefined && promise !== undefined)
    await bringKey(place, next, 'next-report', promise);
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
