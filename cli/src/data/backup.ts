import { join, relative, resolve } from 'node:path';
import { systemClock } from '@assay/node/platform/clock';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { BackedUp } from '@assay/node/restore/backup';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { requireDataFolder } from '../reader/data-reader.ts';
import { lackingLines } from '../text/lacking-text.ts';
import { printableJson } from '../text/printable-json.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';

const OPTIONS = {
  output: option('FOLDER', { short: 'o', required: true })`
    Where to write: an empty or a new folder, or one that holds earlier backups of the same log.`,
  withKeys: flag`
    Copy the key files too, as they are in the folder. Those that ASSAY_PASSPHRASE has locked stay
    locked; the file tick-seed is never locked. Without this option the key files that are left
    out are named. A Terminal cannot go on without keys/tick-seed.`,
  config: option('FILE')`
    The configuration. The files that it names are copied where they lie in the data folder, and
    named where they do not. The default is assay.json in the data folder.`,
  json: flag`
    Print what was written as JSON.`,
} as const;

export const backupCommand: Command = command({
  name: 'backup',
  summary: 'Copy what a publisher needs to go on elsewhere, even while it runs.',
  about: `Copies what a publisher needs to go on elsewhere: the entries, tiles and kept bytes under the newest head that its guard holds, and what the node alone has. The latter are the openings of withheld levels and of ticks, the names of handles and what opens forecasts, transactions that were sent and are not final, settlement files, and the configuration with the files that it names in the data folder: rules, co-signers, and the assets of the Terminal.

    The node may be running. A second run into the same folder reads all that is kept there, and writes what is new and what has rotted. A run that was cut short leaves the backup before it as it was. Nothing in the folder is for readers of the log: it is for its owner alone.

    The head guard is never in a backup, because an old copy of it could sign over a fork. The command assay restore DATA --from FOLDER puts a backup into place.`,
  operands: { data: { value: 'DATA', about: 'The data folder of the node.' } },
  options: OPTIONS,
  exits: {
    0: 'The backup is complete.',
    1: 'The backup is done, but the data folder lacks bytes that its log names.',
  },
  examples: {
    'assay backup data -o /mnt/backup': 'Copy the log of a node, without its keys.',
    'assay backup data -o /mnt/vault --with-keys': 'Copy its key files too.',
  },
  run: writeBackup,
});

async function writeBackup(
  given: Given<typeof OPTIONS> & { readonly data: string },
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { output } = given;
  const root = resolve(given.data);
  const to = relative(root, resolve(output));
  if (to === '' || !/^\.\.(?:[/\\]|$)/.test(to)) {
    throw new UsageError('a backup lies outside the data folder: it would be lost with it');
  }
  await requireDataFolder(given.data);
  const { backUp } = await import('@assay/node/restore/backup');
  const { inside, outside } = await configured(root, given.config, environment);
  const progress = slowProgress(terminal, () => performance.now());
  let done: BackedUp;
  try {
    done = await backUp({
      data: root,
      output: resolve(output),
      withKeys: given.withKeys,
      more: inside,
      sha256: nodeSha256,
      now: systemClock,
      progress: progress.tell,
    });
  } finally {
    progress.end();
  }
  if (given.json) terminal.out(printableJson({ ...done, outside }));
  else for (const line of words(output, done, outside)) terminal.out(line);
  return done.lacking.length === 0 ? EXIT.ok : EXIT.findings;
}

function words(output: string, done: BackedUp, outside: readonly string[]): readonly string[] {
  const { size, origin, log, written, kept, mended, blobs, privateFiles, keysLeftOut, lacking } =
    done;
  return [
    `${output}: ${size} entries of ${origin}, log ${log}`,
    `  ${blobs} blobs and ${privateFiles} files that nothing serves; ${written} files written, ${kept} unchanged`,
    ...(mended === 0
      ? []
      : [
          `${mended} of the written ones had rotted in the backup and were written again: replace its disk soon.`,
        ]),
    ...(keysLeftOut.length === 0
      ? []
      : [
          'Not in it, for --with-keys was not given. Have a copy of each in another place:',
          ...keysLeftOut.map((path) => `  ${path}`),
        ]),
    ...(outside.length === 0
      ? []
      : [
          'Not in it, for it lies outside the data folder. Keep a copy of each:',
          ...outside.map((path) => `  ${path}`),
        ]),
    ...(lacking.length === 0 ? [] : ['The data folder lacks what its log names:']),
    ...lackingLines(lacking),
  ];
}

interface ConfigFiles {
  /** Paths in the data folder. */
  readonly inside: readonly string[];
  /** The full paths of files elsewhere, which no backup contains. */
  readonly outside: readonly string[];
}

/** The configuration and the files that it names; none if there is no configuration. */
async function configured(
  root: string,
  given: string | undefined,
  environment: Environment,
): Promise<ConfigFiles> {
  const path = given ?? join(root, 'assay.json');
  const { stat } = await import('node:fs/promises');
  const isThere = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
  if (!isThere && given === undefined) return { inside: [], outside: [] };
  const { readConfig } = await import('@assay/node/production/config');
  const { rules, cosigners, terminal } = await readConfig(resolve(path), environment);
  const recorded = [...(terminal?.crypto ?? []), ...(terminal?.stock?.sources ?? [])].flatMap(
    (source) => (source.kind === 'recorded' ? [source.file] : []),
  );
  const named = [
    path,
    ...rules,
    ...(cosigners === null ? [] : [cosigners]),
    ...(terminal === null ? [] : [terminal.assets]),
    ...recorded,
  ].map((each) => resolve(each));
  const [inside, outside]: [string[], string[]] = [[], []];
  for (const each of named) {
    const within = relative(root, each);
    if (within === '' || /^\.\.(?:[/\\]|$)/.test(within)) outside.push(each);
    else inside.push(within);
  }
  return { inside, outside };
}
