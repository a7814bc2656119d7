import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@assay/node/platform/clock';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { BackedUp } from '@assay/node/restore/backup';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { lackingLines } from '../text/lacking-text.ts';
import { printableJson } from '../text/printable-json.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';

export const backupHelp = `assay backup <data folder> -o FOLDER [--with-keys]

Writes what a publisher needs to go on elsewhere: entries, tiles and kept bytes under the newest
head that its guard holds, and what the node alone has: openings of withheld levels and of ticks,
transactions that are out, settlement files, and the config with what it names in the data folder:
rules, co-signers, and the assets of the Terminal. The node may be running. A second run into the
same folder writes what is new, and what has rotted there: it reads all that is kept in it. A run
that was cut leaves the backup before it, or none. Readers get none of it: the folder is for its
owner alone.

The head guard is never in a backup: an old copy of it could sign over a fork.
assay restore DATA --from FOLDER puts a backup into place.

  -o, --output FOLDER  an empty or new folder, or one of earlier backups of the same log
  --with-keys          the key files too, as they lie there: locked, where ASSAY_PASSPHRASE
                       locked them, but for tick-seed. Without it the key files that are left out
                       are named: the Terminal never goes on without keys/tick-seed
  --config FILE        the config, whose files lie in the data folder (default: assay.json in it);
                       what lies elsewhere is named, and not copied
  --json               what was written, as JSON

Exit code: 0 done, 1 done, but the folder lacks bytes that its log names, 2 usage, 3 not done.`;

export async function backupCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      output: { type: 'string', short: 'o' },
      'with-keys': { type: 'boolean' },
      config: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [data, ...rest] = positionals;
  const { output } = values;
  if (data === undefined || output === undefined || rest.length > 0) {
    throw new UsageError('backup takes a data folder and -o');
  }
  const root = resolve(data);
  const to = relative(root, resolve(output));
  if (to === '' || !/^\.\.(?:[/\\]|$)/.test(to)) {
    throw new UsageError('a backup lies outside the data folder: it would be lost with it');
  }
  const { backUp } = await import('@assay/node/restore/backup');
  const { inside, outside } = await configured(root, values.config, environment);
  const progress = slowProgress(terminal, () => performance.now());
  let done: BackedUp;
  try {
    done = await backUp({
      data: root,
      output: resolve(output),
      withKeys: values['with-keys'] === true,
      more: inside,
      sha256: nodeSha256,
      now: systemClock,
      progress: progress.tell,
    });
  } finally {
    progress.end();
  }
  if (values.json === true) terminal.out(printableJson({ ...done, outside }));
  else for (const line of words(output, done, outside)) terminal.out(line);
  return done.lacking.length === 0 ? EXIT.ok : EXIT.findings;
}

function words(output: string, done: BackedUp, outside: readonly string[]): readonly string[] {
  const { size, origin, log, written, kept, mended, blobs, privateFiles, keysLeftOut, lacking } =
    done;
  return [
    `${output}: ${size} entries of ${origin}, log ${log}`,
    `  ${blobs} blobs and ${privateFiles} files that nothing serves; ${written} files written, ${kept} as before`,
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
  /** Whole paths of those that lie elsewhere, which no backup has. */
  readonly outside: readonly string[];
}

/** The config and the files that it names; none where there is no config. */
async function configured(
  root: string,
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
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
