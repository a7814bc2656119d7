import { equalBytes } from '@assay/core/bytes/bytes';
import { messageOf } from '@assay/core/fault';
import { PUBLIC_ATTESTORS } from '@assay/node/anchor/public-network';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import { calendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { printable } from '@assay/verifier/verdict/printable';
import { EXIT, type ExitCode } from '../command/exit.ts';
import type { BlockCheck, CheckedWith } from './block-check.ts';
import { checkBlocks } from './check.ts';
import { readOts } from './ots-file.ts';
import { asksLookups, type LookupOptions, type Lookups, openLookups } from './lookups.ts';
import { type Asked, upgradeOts, writeUpgrade } from './upgrade.ts';
import { paint, slowProgress, type Terminal } from '../command/tty.ts';
import { textRows } from '../text/text-rows.ts';

export interface UpgradeOptions extends LookupOptions {
  /** Calendars that may be asked in addition to the public ones. */
  readonly attestors: readonly string[];
  /** How many milliseconds each may take. */
  readonly timeoutMs: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Upgrades each file separately and prints the result. A file that cannot be read does not affect the others.
 * If headers were requested but are not available, nothing is upgraded, because a wrong block could be merged.
 */
export async function upgradeFiles(
  paths: readonly string[],
  options: UpgradeOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const client = new CalendarClient({
    fetch: calendarFetch,
    pool: [],
    attestors: [...PUBLIC_ATTESTORS, ...options.attestors],
    timeoutMs: options.timeoutMs,
    sha256: nodeSha256,
  });
  let lookups: Lookups['lookups'] = [];
  if (asksLookups(options)) {
    const progress = slowProgress(terminal, () => performance.now());
    const now = Math.floor(Date.now() / 1000);
    const opened = await openLookups(options, environment, now, progress.tell).finally(
      progress.end,
    );
    for (const reason of opened.refused) {
      terminal.error(`assay ots upgrade: not used: ${printable(reason)}`);
    }
    ({ lookups } = opened);
    if (lookups.length === 0) {
      terminal.error(
        'assay ots upgrade: there are no headers to check blocks with: nothing is asked',
      );
      return EXIT.incomplete;
    }
  }
  const rules = { network: options.network, lookups };
  let complete = true;
  for (const path of paths) {
    try {
      complete = (await upgradeFile(path, client, rules, terminal)) && complete;
    } catch (error) {
      complete = false;
      terminal.error(`assay ots upgrade: ${printable(`${path}: ${messageOf(error)}`)}`);
    }
  }
  return complete ? EXIT.ok : EXIT.incomplete;
}

/** Whether the file now contains a block that is not known to be wrong. */
async function upgradeFile(
  path: string,
  client: CalendarClient,
  rules: CheckedWith,
  terminal: Terminal,
): Promise<boolean> {
  const before = await readOts(path);
  const upgraded = await upgradeOts(before, client, rules);
  const { asked } = upgraded;
  const added = asked.some(({ kind }) => kind === 'attested');
  const after = added ? await writeUpgrade(path, before, upgraded) : before;
  const changed = !equalBytes(after.bytes, before.bytes);
  const blocks = [...(await checkBlocks(after.attested, rules)).values()];
  const right = blocks.filter(({ standing }) => standing !== 'wrong');
  const done = right.length > 0;
  const head = done
    ? paint(terminal, 'green', changed ? 'UPGRADED' : 'HAS A BLOCK')
    : paint(terminal, 'yellow', 'NO BLOCK YET');
  terminal.out(`${head} ${printable(path)}`);
  const rows = [
    ...blockRows(right, terminal),
    ...wrongRows(blocks, terminal),
    ...asked.flatMap(({ uri, kind, reason }) => {
      if (kind === 'attested') return textRows('answered', `${uri}: in a block`, terminal);
      return textRows(kind, `${uri}: ${reason}`, terminal, kind === 'wrong' ? 'red' : 'yellow');
    }),
    ...textRows('next', done ? `assay ots verify ${path}` : nextText(asked), terminal),
  ];
  for (const line of rows) terminal.out(line);
  return done;
}

/** The blocks, lowest first, each with the result of its check. */
function blockRows(blocks: readonly BlockCheck[], terminal: Terminal): readonly string[] {
  const words: Readonly<Record<BlockCheck['standing'], string>> = {
    proven: 'as in the given headers',
    word: 'according to an explorer',
    recent: 'recent: it may still be reorganised',
    not_checked: 'not checked: it may be wrong',
    wrong: 'wrong',
  };
  const shown = new Map(blocks.map((each) => [`${each.height} ${each.standing}`, each]));
  return [...shown.values()]
    .toSorted((a, b) => a.height - b.height)
    .flatMap(({ height, standing }) =>
      textRows('block', `${height}, ${words[standing]}`, terminal),
    );
}

function wrongRows(blocks: readonly BlockCheck[], terminal: Terminal): readonly string[] {
  const wrong = blocks.filter(({ standing }) => standing === 'wrong');
  const shown = new Map(wrong.map((each) => [`${each.height} ${each.reason}`, each]));
  return [...shown.values()].flatMap(({ height, reason }) =>
    textRows('wrong', `block ${height}: ${reason ?? ''}`, terminal, 'red'),
  );
}

function nextText(asked: readonly Asked[]): string {
  if (asked.length === 0) return 'nothing: no calendar has promised a Bitcoin block';
  if (asked.every(({ kind }) => kind === 'refused')) {
    return 'the same with --attestor, if you know that calendar';
  }
  if (asked.some(({ kind }) => kind === 'unproven')) {
    return 'the same again in an hour, with newer headers';
  }
  return 'the same again in some hours';
}
