import { randomBytes } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Fault } from '@assay/core/fault';
import { calendarsOf } from '@assay/core/ots/calendars';
import { excerpt, printable } from '@assay/verifier/printable';
import { positiveOption } from '../options.ts';
import { EXIT, type ExitCode, UsageError } from '../exit.ts';
import { fileDigest } from '../file-digest.ts';
import { paint, slowProgress, type Terminal } from '../terminal.ts';
import { count, textRows } from '../text-rows.ts';

/** Seconds that a calendar may take to answer. */
const TIMEOUT_S = 10;
/** Calendars that must hold a stamp before it is written: one alone may be gone tomorrow. */
const REQUIRED = 2;

export const stampHelp: string = `assay stamp FILE [FILE...]

Has OpenTimestamps calendars stamp files, and writes FILE.ots beside each. A calendar sees neither
a file nor its hash, only one hash over all files of this call, each with a nonce of its own. It
promises to put that into a Bitcoin block, which takes some hours; assay ots upgrade then completes
the stamp.

  --calendar URL  ask this calendar instead of the public pool; may be given more than once
  --attestor URI  also take promises in this name, which assay ots upgrade asks later
                  (the public calendars and every --calendar stand for themselves)
  --required N    calendars that must hold it (default ${REQUIRED}); with fewer nothing is written
  --timeout S     seconds that each may take (default ${TIMEOUT_S})
  --force         write over FILE.ots where there is one: what it holds is lost

Exit code: 0 stamped, 2 usage, 3 too few calendars: nothing is written.`;

interface ToStamp {
  readonly path: string;
  readonly digest: Uint8Array;
  /** 16 bytes, never used again. */
  readonly nonce: Uint8Array;
}

export async function stampCommand(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      calendar: { type: 'string', multiple: true },
      attestor: { type: 'string', multiple: true },
      required: { type: 'string' },
      timeout: { type: 'string' },
      force: { type: 'boolean' },
    },
  });
  if (positionals.length === 0) throw new UsageError('stamp takes a file, or several');
  if (new Set(positionals.map((path) => resolve(path))).size < positionals.length) {
    throw new UsageError('each file is stamped once');
  }
  const required = positiveOption(values.required, '--required') ?? REQUIRED;
  const timeoutMs = 1000 * Math.min(positiveOption(values.timeout, '--timeout') ?? TIMEOUT_S, 3600);
  const force = values.force === true;
  if (!force) for (const path of positionals) await requireNone(`${path}.ots`);

  const { CalendarClient } = await import('@assay/node/bitcoin/calendar-client');
  const { calendarFetch } = await import('@assay/node/bitcoin/calendar-fetch');
  const { PUBLIC_ATTESTORS, PUBLIC_HOLDERS, PUBLIC_POOL } =
    await import('@assay/node/anchor/public-network');
  const { nodeSha256 } = await import('@assay/node/node-sha256');
  const pool = values.calendar ?? PUBLIC_POOL;
  const client = new CalendarClient({
    fetch: calendarFetch,
    pool,
    attestors: [...PUBLIC_ATTESTORS, ...(values.calendar ?? []), ...(values.attestor ?? [])],
    holders: PUBLIC_HOLDERS,
    timeoutMs,
    sha256: nodeSha256,
  });
  if (required > new Set(pool).size) {
    throw new UsageError(
      `${count(required, 'calendar')} cannot hold it: there are ${new Set(pool).size} to ask (--required)`,
    );
  }

  const files = await hashAll(positionals, terminal);
  const [{ batchTree, formatLeafProof }, { mergeTimestamps }, { formatTimestamp }, { parseProof }] =
    await Promise.all([
      import('@assay/core/ots/batch'),
      import('@assay/core/ots/merge'),
      import('@assay/core/ots/timestamp'),
      import('@assay/core/ots/proof'),
    ]);
  const tree = batchTree(nodeSha256, files);
  const { answers, failures } = await client.submit(tree.tip);
  const merged = answers.map(({ timestamp }) => timestamp).reduce(mergeTimestamps, { items: [] });
  const holders = calendarsOf(merged).map(({ uri }) => uri);
  const failed = failures.flatMap(({ calendar, reason }, i) =>
    textRows(i === 0 ? 'failed' : '', `${calendar}: ${reason}`, terminal, 'yellow'),
  );
  // Two addresses of a pool may lead to one calendar, and one calendar may name several.
  const held = Math.min(answers.length, holders.length);
  if (held < required) {
    const found = held === 0 ? 'no calendar' : `only ${count(held, 'calendar')}`;
    terminal.error(
      `assay stamp: ${found} answered, ${required} must hold a stamp: nothing is written`,
    );
    for (const line of failed) terminal.error(line);
    return EXIT.incomplete;
  }

  const tip = formatTimestamp(merged);
  const { writeDurable } = await import('@assay/node/durable-file');
  for (const [i, { path, digest }] of files.entries()) {
    const bytes = formatLeafProof(digest, tree.pathOf(i), tip);
    // What a reader would refuse is not worth keeping.
    parseProof(bytes);
    await writeDurable(`${path}.ots`, bytes, { exclusive: !force }).catch((cause: unknown) => {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw exists(`${path}.ots`);
      throw cause;
    });
    terminal.out(`${paint(terminal, 'green', 'STAMPED')} ${printable(path)}.ots`);
  }
  say(files, holders, terminal);
  for (const line of failed) terminal.out(line);
  return EXIT.ok;
}

function say(files: readonly ToStamp[], holders: readonly string[], terminal: Terminal): void {
  const [{ path }] = files as readonly [ToStamp];
  const one = files.length === 1;
  const it = one ? 'it' : 'them';
  const rows = [
    ...holders.flatMap((uri, i) => textRows(i === 0 ? 'held by' : '', uri, terminal)),
    ...textRows(
      'so far',
      `a promise: these calendars say that they will put a hash of ${it} into a Bitcoin block, which takes some hours`,
      terminal,
    ),
    ...textRows(
      'next',
      one
        ? `assay ots upgrade ${path}.ots, tomorrow; then it needs no calendar any more`
        : 'assay ots upgrade with the .ots files, tomorrow; then none needs a calendar any more',
      terminal,
    ),
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

async function requireNone(path: string): Promise<void> {
  const there = await lstat(path).then(
    () => true,
    () => false,
  );
  if (there) throw exists(path);
}

function exists(path: string): Fault {
  return new Fault('not_empty', 'stamp', {
    at: path,
    expected: 'no file there (--force writes over it)',
  });
}
