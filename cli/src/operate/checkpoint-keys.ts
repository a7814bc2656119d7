import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Fault } from '@assay/core/fault';
import type { CheckpointKeyEntry } from '@assay/core/kind/checkpoint-key';
import type { KeyChangeParts } from '@assay/node/key/key-change';
import { command, type Command } from '../command/command.ts';
import { EXIT } from '../command/exit.ts';
import { option } from '../command/option.ts';
import { requireDataFolder } from '../reader/data-reader.ts';
import { CEREMONY_OPTIONS, CEREMONY_VARIABLES, ceremony, changed, DATA } from './ceremony.ts';
import { showKeys } from './shown-keys.ts';

const NEXT = option('FILE')`
  The promised checkpoint key, where it is kept elsewhere.`;
const RECOVERY = option('FILE')`
  The recovery key, where it is kept elsewhere.`;
const PROMISE_OPTIONS = { recovery: RECOVERY, ...CEREMONY_OPTIONS } as const;
const ROTATE_OPTIONS = { next: NEXT, ...CEREMONY_OPTIONS } as const;
const RECOVER_OPTIONS = {
  recovery: RECOVERY,
  next: NEXT,
  closingHead: option('FILE', { many: true })`
    A checkpoint that the lost key signed, from a mirror, a witness or an export. The newest one
    that is at hand is kept for readers of the old key.`,
  ...CEREMONY_OPTIONS,
} as const;
const { config: CONFIG, mirror: MIRROR } = CEREMONY_OPTIONS;

export const promiseCheckpointCommand: Command = command({
  name: 'keys promise-checkpoint',
  summary: 'Promise the key that is to replace the checkpoint key.',
  about: `Makes the first key that can replace the checkpoint key, and promises it in the log by the recovery key, which another takes the place of. Without --yes it prints what it would do and writes nothing.

    Each later checkpoint key is promised by the one before it. docs/keys.md describes the ceremony.`,
  operands: { data: DATA },
  options: PROMISE_OPTIONS,
  variables: CEREMONY_VARIABLES,
  examples: {
    'assay keys promise-checkpoint data --recovery /media/usb/recovery.json --yes':
      'Promise a checkpoint key, and move the two new keys away.',
  },
  run: ({ data, ...given }, terminal, environment) =>
    ceremony('promise-checkpoint', resolve(data), given, terminal, environment, async (parts) => {
      const { promiseCheckpointKey } = await import('@assay/node/key/checkpoint-change');
      const promise = await promiseCheckpointKey(parts, given);
      return [
        `Checkpoint key ${promise.number} is promised: the key of ${promise.next_checkpoint_sha256}`,
        '',
        ...placesText(parts, 'recovery'),
      ];
    }),
});

export const rotateCheckpointCommand: Command = command({
  name: 'keys rotate-checkpoint',
  summary: 'Replace the checkpoint key with the promised key.',
  about: `Replaces the checkpoint key with the promised key, and makes and promises another. The head of that entry is signed by both keys and kept, as closing-head/N. Without --yes it prints what it would do and writes nothing.

    The file of the old key stays, as checkpoint-N.json. docs/keys.md describes the ceremony.`,
  operands: { data: DATA },
  options: ROTATE_OPTIONS,
  variables: CEREMONY_VARIABLES,
  examples: {
    'assay keys rotate-checkpoint data --next /media/usb/next-checkpoint.json --yes':
      'Change to the promised key, which is on a USB stick.',
  },
  run: ({ data, ...given }, terminal, environment) =>
    ceremony('rotate-checkpoint', resolve(data), given, terminal, environment, async (parts) => {
      const { rotateCheckpointKey } = await import('@assay/node/key/checkpoint-change');
      return textOf(await rotateCheckpointKey(parts, given), parts);
    }),
});

export const recoverCheckpointCommand: Command = command({
  name: 'keys recover-checkpoint',
  summary: 'Replace a checkpoint key that was lost or stolen.',
  about: `Replaces a checkpoint key that was lost or stolen with the promised key, by the recovery key. The old key is not needed. The newest head that it signed is kept, as closing-head/N: the one that this folder has, or one of --closing-head. Without --yes it prints what it would do and writes nothing.

    Name every mirror: a head of the old key that covers more than this ledger must not be left behind. docs/keys.md describes the ceremony.`,
  operands: { data: DATA },
  options: RECOVER_OPTIONS,
  variables: CEREMONY_VARIABLES,
  examples: {
    'assay keys recover-checkpoint data --recovery /media/one/recovery.json --next /media/two/next-checkpoint.json --mirror https://mirror.example.net --yes':
      'Replace a key that somebody has stolen.',
  },
  run: async ({ data, ...given }, terminal, environment) => {
    const brought = await Promise.all(given.closingHead.map(readClosingHead));
    return ceremony(
      'recover-checkpoint',
      resolve(data),
      { ...given, unsigned: true },
      terminal,
      environment,
      async (parts) => {
        const [{ recoverCheckpointKey }, { folderNotes }] = await Promise.all([
          import('@assay/node/key/checkpoint-change'),
          import('@assay/node/key/folder-notes'),
        ]);
        const notes = await folderNotes(parts.folder);
        return textOf(await recoverCheckpointKey(parts, { ...given, notes, brought }), parts);
      },
    );
  },
});

/** Throws `not_found` where there is no such file. */
async function readClosingHead(
  at: string,
): Promise<{ readonly at: string; readonly note: Uint8Array }> {
  try {
    return { at, note: new Uint8Array(await readFile(at)) };
  } catch (error) {
    const { errorCode } = await import('@assay/node/platform/durable-file');
    const { storageFault } = await import('@assay/node/platform/storage-fault');
    if (errorCode(error) !== 'ENOENT') throw storageFault(error, 'closing head');
    throw new Fault('not_found', 'closing head', { at, expected: 'a file with a checkpoint' });
  }
}

export const settleCommand: Command = command({
  name: 'keys settle',
  summary: 'Finish a change of keys that was cut short.',
  about:
    'Finishes what a change of keys has left undone: it keeps the closing heads of checkpoint keys that ended, and gives the key files the names that the log gives them. It changes nothing where all is in order.',
  operands: { data: DATA },
  options: { mirror: MIRROR, config: CONFIG },
  variables: CEREMONY_VARIABLES,
  examples: { 'assay keys settle data': 'Put the key files of a folder in order.' },
  async run({ data, ...given }, terminal, environment) {
    const root = resolve(data);
    await requireDataFolder(root);
    await changed(root, given, environment, async (parts) => {
      const { settleKeys } = await import('@assay/node/key/settle-keys');
      await settleKeys(parts);
    });
    await showKeys(root, terminal);
    return EXIT.ok;
  },
});

function textOf(entry: CheckpointKeyEntry, parts: KeyChangeParts): readonly string[] {
  const { number, replaces, last_size: last, cause } = entry;
  return [
    `Checkpoint key ${number} is in force: ${parts.checkpoints.vkey}`,
    `  it replaces ${replaces}, which signs heads of up to ${last} entries`,
    `  its closing head is kept in ${parts.closing.path(number - 1)}`,
    `  it promises the key of ${entry.next_checkpoint_sha256}`,
    '',
    ...placesText(parts, cause === 'recovery' ? 'recovery' : undefined),
    'A signer that still has the old key is made again: assay signer init.',
  ];
}

/** Where the keys that were made belong. */
function placesText({ folder }: KeyChangeParts, made: 'recovery' | undefined): readonly string[] {
  return [
    `Move ${folder.keys}/next-checkpoint.json to a place that is not this machine.`,
    ...(made === undefined
      ? []
      : [
          `Move ${folder.keys}/recovery.json to another place than that: it is another recovery key now.`,
          'Keep the one before: feeds on chain know no other.',
        ]),
  ];
}
