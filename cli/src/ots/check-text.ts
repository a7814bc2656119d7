import { parseTime } from '@assay/core/time/time';
import type { HeaderLookup } from '@assay/verifier/bitcoin/header-lookup';
import type { BlockCheck, BlockResult } from './block-check.ts';
import type { AttestationCheck, OtsCheck } from './check.ts';
import { paint, type Terminal } from '../command/tty.ts';
import { count, duration, textRows } from '../text/text-rows.ts';

/** Headers older than this are called old: blocks come every ten minutes. */
const OLD_S = 86_400;

export interface CheckContext {
  readonly ots: string;
  readonly lookups: readonly HeaderLookup[];
  /** Why headers that were given do not count. */
  readonly refused: readonly string[];
  /** Unix seconds. */
  readonly now: number;
}

/** What holds comes first, and what is wrong comes after it. */
const ORDER: readonly BlockResult[] = ['proven', 'word', 'recent', 'not_checked', 'wrong'];

/** A check as text. On the development network every line says so. */
export function otsCheckText(
  check: OtsCheck,
  terminal: Terminal,
  context: CheckContext,
): readonly string[] {
  const development = check.network === 'development';
  const mark = 'development  ';
  const narrower = { ...terminal, columns: terminal.columns - mark.length };
  const lines = textOf(check, development ? narrower : terminal, context);
  return development ? lines.map((line) => paint(terminal, 'yellow', mark) + line) : lines;
}

function textOf(check: OtsCheck, terminal: Terminal, context: CheckContext): readonly string[] {
  const { file, attestations } = check;
  const blocks = attestations.filter((each) => each.kind === 'bitcoin');
  const others = attestations.filter((each) => each.kind !== 'bitcoin');
  // Several calendars often use the same block.
  const shown = new Map(
    blocks.map((each) => [`${each.height} ${each.merkle_root} ${each.standing}`, each]),
  );
  return [
    headline(check, context, terminal),
    ...fileRows(check, terminal),
    ...[...shown.values()]
      .toSorted((a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing))
      .flatMap((block) => blockRows(block, terminal)),
    ...otherRows(others, terminal),
    ...headersRows(context, terminal),
    ...meaningRows(check, context, terminal),
    ...(file.hash === 'sha1' ? weakRows(terminal) : []),
  ];
}

function headline(check: OtsCheck, context: CheckContext, terminal: Terminal): string {
  const { outcome, file, attestations, network } = check;
  switch (outcome) {
    case 'proven': {
      const where = network === 'development' ? ' ON THE DEVELOPMENT NETWORK' : '';
      const words = `PROVEN${where}: it existed before block ${lowest(attestations, 'proven')?.height ?? 0}`;
      return paint(terminal, 'green', words);
    }
    case 'wrong': {
      const other = file.found !== null && file.found !== file.stamped;
      const what = file.path === null ? 'digest' : 'file';
      const why = other ? `this is not the ${what} that was stamped` : 'the stamp does not hold';
      return paint(terminal, 'red', `WRONG: ${why}`);
    }
    case 'pending':
      return paint(terminal, 'yellow', 'NOT PROVEN YET: no block holds it, calendars promise one');
    case 'incomplete':
      return paint(terminal, 'yellow', `NOT PROVEN${whyNot(check, context)}`);
  }
}

function whyNot({ file, attestations }: OtsCheck, context: CheckContext): string {
  const blocks = attestations.filter((each) => each.kind === 'bitcoin');
  if (blocks.length === 0) return ': it names no Bitcoin block';
  if (file.found === null) return ': the file is not there';
  const word = lowest(attestations, 'word');
  if (word !== undefined) return `: block ${word.height} holds it according to an explorer alone`;
  if (blocks.some(({ standing }) => standing === 'recent')) {
    return ' YET: its block may still be reorganised';
  }
  return context.lookups.length === 0
    ? ': there are no headers to compare its block with'
    : ': the headers given do not have its block';
}

/** The lowest block with a result. */
function lowest(
  attestations: readonly AttestationCheck[],
  standing: BlockResult,
): BlockCheck | undefined {
  return attestations
    .filter((each) => each.kind === 'bitcoin')
    .filter((each) => each.standing === standing)
    .toSorted((a, b) => a.height - b.height)[0];
}

function fileRows({ file }: OtsCheck, terminal: Terminal): readonly string[] {
  const { path, hash, stamped, found } = file;
  const name = path ?? 'the digest given';
  const row = path === null ? 'digest' : 'file';
  if (found === null) {
    return [
      ...textRows(row, `${name} is not there: --file says where it is`, terminal, 'yellow'),
      ...textRows(hash, `${stamped}, of the file that was stamped`, terminal),
    ];
  }
  if (found === stamped) {
    return [
      ...textRows(row, `${name}, as it was stamped`, terminal),
      ...textRows(hash, stamped, terminal),
    ];
  }
  return [
    ...textRows(row, `${name}, another than was stamped (${hash})`, terminal, 'red'),
    ...textRows('expected', stamped, terminal),
    ...textRows('found', found, terminal),
  ];
}

function blockRows(check: BlockCheck, terminal: Terminal): readonly string[] {
  const { height, merkle_root: root, block, standing, reason } = check;
  const shown = `${height}`;
  switch (standing) {
    case 'proven':
      return [
        ...textRows(
          'block',
          `${shown}, mined about ${block?.time ?? ''} by its miner's clock`,
          terminal,
        ),
        ...textRows('id', block?.id ?? '', terminal),
      ];
    case 'wrong': {
      const line = textRows('block', `${shown}: ${reason ?? ''}`, terminal, 'red');
      if (root === null || block === null) return line;
      return [
        ...line,
        ...textRows('expected', `Merkle root ${block.merkle_root}`, terminal),
        ...textRows('found', `Merkle root ${root}`, terminal),
      ];
    }
    case 'word':
    case 'recent':
      return [
        ...textRows('block', `${shown}, ${reason ?? ''}`, terminal, 'yellow'),
        ...textRows('id', block?.id ?? '', terminal),
      ];
    case 'not_checked':
      return textRows('block', `${shown}, not checked: ${reason ?? ''}`, terminal, 'yellow');
  }
}

function otherRows(
  others: readonly Exclude<AttestationCheck, BlockCheck>[],
  terminal: Terminal,
): readonly string[] {
  const open = others.flatMap((each) => (each.kind === 'pending' && !each.kept ? [each.uri] : []));
  const rest = others.flatMap((each) => (each.kind === 'other' ? [each.what] : []));
  return [
    ...[...new Set(open)]
      .sort()
      .flatMap((uri, i) => textRows(i === 0 ? 'promised by' : '', uri, terminal)),
    ...rest.flatMap((what) => textRows('not checked', `${what}: Bitcoin alone is`, terminal)),
  ];
}

function headersRows(context: CheckContext, terminal: Terminal): readonly string[] {
  const { lookups, refused, now } = context;
  const used = lookups.flatMap(({ description, tip, kind }) => {
    const age = Math.max(0, now - tip.time);
    const old = age > OLD_S ? `; the newest of them is ${duration(age)} old` : '';
    const unchecked = kind === 'explorer' ? ', which nothing here checks further' : '';
    const words = `${description}${unchecked}, to height ${tip.height}${old}`;
    return textRows('trust', words, terminal, kind === 'explorer' ? 'yellow' : undefined);
  });
  return [
    ...used,
    ...refused.flatMap((reason) => textRows('not used', reason, terminal, 'yellow')),
  ];
}

/** What the outcome means for whoever has to decide, and what to do next. */
function meaningRows(
  { outcome, attestations, file, network }: OtsCheck,
  { ots, lookups, refused }: CheckContext,
  terminal: Terminal,
): readonly string[] {
  const say = (name: string, words: string): readonly string[] => textRows(name, words, terminal);
  const open = attestations.some((each) => each.kind === 'pending' && !each.kept);
  if (outcome === 'wrong') {
    return open && file.found === file.stamped
      ? say('next', `assay ots upgrade ${ots}: a calendar may still bring a block that holds`)
      : [];
  }
  if (outcome === 'proven') {
    const holds = lowest(attestations, 'proven');
    const day =
      holds?.block === undefined || holds.block === null ? '' : ` on ${dayOf(holds.block.time)}`;
    const chain = network === 'development' ? 'development block' : 'block';
    const what = file.path === null ? 'what has this digest' : 'this exact file';
    const words = `somebody had ${what} before ${chain} ${holds?.height ?? 0} was mined${day}. A stamp does not show who had it, or how long before`;
    return say('means', words);
  }
  const calendars = attestations.flatMap((each) => (each.kind === 'pending' ? [each.uri] : []));
  const pending = new Set(calendars).size;
  const blocks = attestations.filter((each) => each.kind === 'bitcoin');
  if (blocks.length === 0 && pending > 0) {
    return [
      ...say(
        'means',
        `${count(pending, 'calendar has', 'calendars have')} a hash of it and the task to put that into a block, which takes hours. Until then there is only their promise`,
      ),
      ...say('next', `assay ots upgrade ${ots}`),
    ];
  }
  if (lookups.length + refused.length === 0 && blocks.length > 0) {
    return say(
      'next',
      'give --headers FILE (assay headers sync makes one), --bitcoin-rpc URL of your own node. --explorer URL shows what an explorer says, which proves nothing',
    );
  }
  if (file.found === null) return [];
  if (lowest(attestations, 'word') !== undefined) {
    return [
      ...say(
        'means',
        "its block has the work of seven in a row. That they are Bitcoin's is what the explorer says, and it may be wrong or lie",
      ),
      ...say(
        'next',
        'give --headers FILE (assay headers sync makes one) or --bitcoin-rpc URL of your own node',
      ),
    ];
  }
  if (blocks.some(({ standing }) => standing === 'recent')) {
    return say('next', 'the same again in an hour, with newer headers');
  }
  return [];
}

function dayOf(time: string): string {
  return new Date(1000 * parseTime(time)).toISOString().slice(0, 10);
}

function weakRows(terminal: Terminal): readonly string[] {
  const words = 'two files with one SHA-1 can be made, and a stamp of it cannot distinguish them';
  return textRows('caution', words, terminal, 'yellow');
}
