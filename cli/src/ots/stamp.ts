import { randomBytes } from 'node:crypto';
import { lstat, open, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import { calendarsOf } from '@assay/core/ots/calendars';
import { excerpt, printable } from '@assay/verifier/verdict/printable';
import { positive } from '../command/options.ts';
import { command, type Command, type Given } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { fileDigest } from '../reader/file-digest.ts';
import { mergeAnswers } from './answers.ts';
import { paint, slowProgress, type Terminal } from '../command/tty.ts';
import { count, TIE, textRows } from '../text/text-rows.ts';

/** How many seconds a calendar may take to answer. */
const TIMEOUT_S = 10;
/** How many calendars must hold a stamp before it is written, because one alone may be gone tomorrow. */
const REQUIRED = 2;

const OPTIONS = {
  calendar: option('URL', { many: true })`
    Ask this calendar instead of the public ones.`,
  attestor: option('URI', { many: true })`
    Take promises in this name too, which assay ots upgrade asks later. The public calendars and
    every --calendar are taken in any case.`,
  required: option('N', { parse: positive, fallback: REQUIRED })`
    How many calendars must hold the stamp. With fewer nothing is written.`,
  timeout: option('S', { parse: positive, fallback: TIMEOUT_S })`
    How many seconds each calendar may take.`,
  force: flag`
    Write over FILE.ots where there is one. What it holds is lost.`,
} as const;

export const stampCommand: Command = command({
  name: 'stamp',
  summary: 'Have calendars stamp files (OpenTimestamps).',
  about: `Has OpenTimestamps calendars stamp files, and writes FILE.ots beside each. A calendar sees neither a file nor its hash. It sees one hash over all files of this call, each with a nonce of its own. It promises to put that hash into a Bitcoin block, which takes some hours; then assay ots upgrade completes the stamp.`,
  operands: { files: { value: 'FILE', many: true, about: 'A file to stamp.' } },
  options: OPTIONS,
  exits: {
    0: 'Every file is stamped.',
    3: 'Too few calendars answered, or a stamp cannot be written there: then nothing is written. Or one stamp could not be written, which is named, and the others were.',
  },
  examples: {
    'assay stamp thesis.pdf': 'Prove that a file existed today.',
  },
  run: stampFiles,
});

interface ToStamp {
  readonly path: string;
  readonly digest: Uint8Array;
  /** 16 bytes that are never used again. */
  readonly nonce: Uint8Array;
}

async function stampFiles(
  given: Given<typeof OPTIONS> & { readonly files: readonly string[] },
  terminal: Terminal,
): Promise<ExitCode> {
  const { files: paths, required, force } = given;
  if (new Set(paths.map((path) => resolve(path))).size < paths.length) {
    throw new UsageError('each file is stamped once');
  }
  const timeoutMs = 1000 * Math.min(given.timeout, 3600);

  const { CalendarClient } = await import('@assay/node/bitcoin/calendar-client');
  const { calendarFetch } = await import('@assay/node/bitcoin/calendar-fetch');
  const { PUBLIC_ATTESTORS, PUBLIC_HOLDERS, PUBLIC_POOL } =
    await import('@assay/node/anchor/public-network');
  const { nodeSha256 } = await import('@assay/node/platform/node-sha256');
  const pool = given.calendar.length > 0 ? given.calendar : PUBLIC_POOL;
  const client = new CalendarClient({
    fetch: calendarFetch,
    pool,
    attestors: [...PUBLIC_ATTESTORS, ...given.calendar, ...given.attestor],
    holders: PUBLIC_HOLDERS,
    timeoutMs,
    sha256: nodeSha256,
  });
  if (required > new Set(pool).size) {
    throw new UsageError(
      `${count(required, 'calendar')} cannot hold it: there are ${new Set(pool).size} to ask (--required)`,
    );
  }

  const files = await hashAll(paths, terminal);
  for (const path of paths) await requireRoom(`${path}.ots`, force);
  const [{ batchTree, formatLeafProof, proofOf }, { formatTimestamp }] = await Promise.all([
    import('@assay/core/ots/batch'),
    import('@assay/core/ots/timestamp'),
  ]);
  const { formatOts } = await import('./ots-file.ts');
  const tree = batchTree(nodeSha256, files);
  const submitted = await client.submit(tree.tip);
  const [{ digest: longest }] = files as readonly [ToStamp];
  // No leaf has a longer path than the first.
  const path = tree.pathOf(0);
  const { merged, used, failures } = mergeAnswers(submitted, (tip) =>
    formatOts(proofOf(longest, path, tip)),
  );
  const holders = calendarsOf(merged).map(({ uri }) => uri);
  const failed = failures.flatMap(({ calendar, reason }, i) =>
    textRows(i === 0 ? 'failed' : '', `${calendar}: ${reason}`, terminal, 'yellow'),
  );
  // Two addresses of a pool may lead to one calendar, and one calendar may name several.
  const held = Math.min(used, holders.length);
  if (held < required) {
    const found = held === 0 ? 'no calendar' : `only ${count(held, 'calendar')}`;
    terminal.error(
      `assay stamp: ${found} answered, ${required} must hold a stamp: nothing is written`,
    );
    for (const line of failed) terminal.error(line);
    return EXIT.incomplete;
  }

  const tip = formatTimestamp(merged);
  const { errorCode, writeDurable } = await import('@assay/node/platform/durable-file');
  const stamped: ToStamp[] = [];
  for (const [i, file] of files.entries()) {
    const ots = `${file.path}.ots`;
    try {
      const bytes = formatLeafProof(file.digest, tree.pathOf(i), tip);
      await writeDurable(ots, bytes, { exclusive: !force });
    } catch (error) {
      const there = errorCode(error) === 'EEXIST';
      const words = messageOf(there ? exists(ots) : error);
      terminal.error(`assay stamp: ${printable(`${ots} is not written: ${words}`)}`);
      continue;
    }
    stamped.push(file);
    terminal.out(`${paint(terminal, 'green', 'STAMPED')} ${printable(ots)}`);
  }
  if (stamped.length > 0) {
    const others = holders.filter((uri) => !isPublic(uri, PUBLIC_ATTESTORS));
    say(stamped, holders, others, terminal);
    for (const line of failed) terminal.out(line);
  }
  return stamped.length === files.length ? EXIT.ok : EXIT.incomplete;
}

function isPublic(uri: string, attestors: readonly string[]): boolean {
  return attestors.includes(uri.endsWith('/') ? uri.slice(0, -1) : uri);
}

/** `others` are the holders that `assay ots upgrade` asks only if they are given. */
function say(
  files: readonly ToStamp[],
  holders: readonly string[],
  others: readonly string[],
  terminal: Terminal,
): void {
  const [{ path }] = files as readonly [ToStamp];
  const one = files.length === 1;
  const it = one ? 'it' : 'them';
  const options = others.map((uri) => ` --attestor${TIE}${uri}`).join('');
  const rows = [
    ...holders.flatMap((uri, i) => textRows(i === 0 ? 'held by' : '', uri, terminal)),
    ...textRows(
      'so far',
      `a promise: these calendars say that they will put a hash of ${it} into a Bitcoin block, which takes some hours`,
      terminal,
    ),
    ...textRows(
      'tomorrow',
      one
        ? `assay ots upgrade ${path}.ots${options}`
        : `assay ots upgrade with the .ots files${options === '' ? '' : `, and${options}`}`,
      terminal,
    ),
    ...textRows('then', `${one ? 'it needs' : 'they need'} no calendar any more`, terminal),
    ...textRows(
      'keep',
      one
        ? `${path} as it is, byte for byte, and ${path}.ots with it`
        : 'the files as they are, byte for byte, each with its .ots',
      terminal,
    ),
  ];
  for (const line of rows) terminal.out(line);
}

async function hashAll(paths: readonly string[], terminal: Terminal): Promise<readonly ToStamp[]> {
  const progress = slowProgress(terminal, () => performance.now());
  const files: ToStamp[] = [];
  try {
    for (const path of paths) {
      const tell = (done: number, total: number): void => {
        progress.tell(done, total, `${excerpt(path, 40)}: bytes`);
      };
      const digest = await fileDigest(path, 'sha256', tell);
      if (digest === undefined) throw new UsageError(`${path} is no plain file`);
      files.push({ path, digest, nonce: new Uint8Array(randomBytes(16)) });
    }
  } finally {
    progress.end();
  }
  return files;
}

/**
 * Throws if a stamp could not be written: one exists, a folder has its name, or nothing can be created there.
 * It is checked before any calendar is asked, so that none holds a stamp that nobody has.
 */
async function requireRoom(path: string, force: boolean): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (there !== undefined && (!force || there.isDirectory())) throw exists(path);
  // As long as the name under which the bytes are staged.
  const random = randomBytes(8).toString('hex');
  const probe = join(dirname(path), `.${basename(path)}.${random}.tmp`);
  const file = await open(probe, 'wx');
  await file.close();
  await rm(probe);
}

function exists(path: string): Fault {
  return new Fault('not_empty', 'stamp', {
    at: path,
    expected: 'no file there (--force writes over it)',
  });
}
