import { isCheap, worthText } from '../bitcoin/header-lookup.ts';
import { promiseText } from '../bitcoin/pending.ts';
import type { BitcoinFacts, BlockFacts, Verdict, Window } from '../verdict/verdict.ts';
import type { Warning } from './warning.ts';
import { count } from './words.ts';

const DEVELOPMENT = 'development, not Bitcoin: its blocks prove nothing. ';
const EXPLORER = 'NOT PROVEN: according to an explorer alone';

/** What a verdict contains about Bitcoin, in one row. */
export interface BitcoinText {
  readonly words: string;
  /** Whether a reader may take it as proven. */
  readonly proven: boolean;
}

/**
 * How much of a log is in Bitcoin, and what vouches for that. A development chain is never called Bitcoin, and
 * what is only promised is never called proven.
 */
export function bitcoinText(facts: BitcoinFacts, subject: Verdict['subject']): BitcoinText {
  const { anchored, network, newest_beacon: beacon } = facts;
  const development = network === 'development';
  const first = development ? DEVELOPMENT : '';
  if (subject === 'bundle') {
    const [window] = facts.windows;
    const { before = null, after = null } = window ?? {};
    if (before !== null) {
      return { words: `${first}${trustText(before, facts)}`, proven: isProven(before, facts) };
    }
    const named = after === null ? '' : `. The block that it names: ${trustText(after, facts)}`;
    return { words: `${first}no block holds this report yet${named}`, proven: false };
  }
  if (anchored !== null) {
    const held = `block ${anchored.height} (${anchored.time}) holds entries 0 to ${anchored.size - 1}`;
    const words = `${first}${held}; ${trustText(anchored, facts)}`;
    return { words, proven: isProven(anchored, facts) };
  }
  if (beacon === null && facts.pending_count === 0) {
    return { words: development ? '' : 'no block holds anything of this log', proven: false };
  }
  return { words: `${first}no block holds anything of this log yet`, proven: false };
}

/** How much work the given headers have, if all of them were read and continue after the shipped table. */
export function headersText({ source }: BitcoinFacts): BitcoinText | undefined {
  const { work = null } = source ?? {};
  if (work === null || work.of === 0) return undefined;
  const words = `after the shipped table, ${worthText(work)} of its end`;
  return isCheap(work)
    ? { words: `${words}: less than half, so that they vouch for no block there`, proven: false }
    : { words, proven: true };
}

/**
 * The entries that no batch of stamps covers; undefined if there are none, or for a log that stamps nothing.
 */
export function uncoveredText(facts: BitcoinFacts): BitcoinText | undefined {
  const { uncovered, network, newest_beacon: beacon } = facts;
  if (uncovered === null) return undefined;
  const { from, to, late } = uncovered;
  if (from === 0 && network === 'development' && beacon === null) return undefined;
  const entries =
    from + 1 === to
      ? `entry ${from} is in no batch`
      : `entries ${from} to ${to - 1} are in no batch`;
  const why = late && from > 0 ? '; one has waited for over two hours' : '';
  return { words: `${entries}${why}`, proven: !late };
}

/** What a reader must know about the blocks before relying on their times; undefined if they are proven, or prove nothing anyway. */
export function blockWarning(
  facts: BitcoinFacts,
  subject: Verdict['subject'],
): Warning | undefined {
  const block = subject === 'bundle' ? (facts.windows[0]?.before ?? null) : facts.anchored;
  if (block === null) {
    if (subject !== 'bundle') return undefined;
    return {
      code: 'no_block',
      text: 'No block holds this number yet, so that nothing but the publisher shows when it was published.',
      todo: 'Make the file again in a day: assay bundle',
    };
  }
  if (facts.network === 'development' || isProven(block, facts)) return undefined;
  return {
    code: 'block_not_proven',
    text: `Block ${block.height}, by which it is dated, is ${unproven(block, facts)}.`,
    todo: 'Give --headers FILE (assay headers sync makes one) or --bitcoin-rpc URL.',
  };
}

/** The batches of stamps that no block holds yet, each in a line; empty if there are none. */
export function pendingText(facts: BitcoinFacts): readonly string[] {
  const { pending, pending_count: all, network } = facts;
  const chain = network === 'bitcoin' ? 'Bitcoin' : 'development';
  const words = pending.map(
    ({ from, to, since, calendars }) =>
      `entries ${from} to ${to - 1}, said to be stamped ${since}: not in a ${chain} block yet; ` +
      promiseText(calendars),
  );
  return all > pending.length ? [...words, `and ${all - pending.length} more`] : words;
}

/** The same in one line; undefined if there are none. */
export function pendingSummary({ pending, pending_count: all }: BitcoinFacts): string | undefined {
  if (all === 0) return undefined;
  const from = Math.min(...pending.map((each) => each.from));
  const to = Math.max(...pending.map((each) => each.to));
  const which = all > pending.length ? '' : `, entries ${from} to ${to - 1},`;
  return `${count(all, 'batch', 'batches')} of stamps${which} ${all === 1 ? 'waits' : 'wait'} for a block`;
}

/** The two blocks of an entry, in lines. */
export function windowText(window: Window, facts: BitcoinFacts): readonly string[] {
  const { seq, kind, after, before, pending } = window;
  const chain = facts.network === 'development' ? 'development block' : 'block';
  const one = (block: BlockFacts): string =>
    [
      `${chain} ${block.height} (${block.time})`,
      ...(isProven(block, facts) ? [] : [unproven(block, facts)]),
      ...(block.doubt === null ? [] : [block.doubt]),
    ].join(', ');
  return [
    `entry ${seq} (${kind}) was written`,
    after === null ? 'after no block that the log names' : `after ${one(after)}`,
    before === null ? `before no block yet: ${pending ?? 'pending'}` : `before ${one(before)}`,
  ];
}

function unproven({ trust }: BlockFacts, { network }: BitcoinFacts): string {
  if (network === 'development') return 'which proves nothing';
  return trust === 'explorer' ? EXPLORER : "not proven to be Bitcoin's";
}

function isProven({ trust }: BlockFacts, { network }: BitcoinFacts): boolean {
  return network === 'bitcoin' && (trust === 'headers' || trust === 'work');
}

/** What vouches for a block, in terms that cannot be misunderstood. */
function trustText(
  { trust, headers, work, doubt }: BlockFacts,
  { network, source }: BitcoinFacts,
): string {
  const took = `${headers} ${headers === 1 ? 'block' : 'blocks'} worth ${shortWork(work)} hashes`;
  switch (trust) {
    case 'headers':
      return `by ${source?.description ?? 'headers'}, tip ${source?.height} of ${source?.time.slice(0, 10)}`;
    case 'explorer':
      return `${EXPLORER} (${source?.description ?? 'explorer'})`;
    case 'work': {
      const priced = network === 'development' ? '' : ', priced by the shipped table';
      return `by work: ${took}${priced}${doubt === null ? '' : `; ${doubt}`}`;
    }
    case 'none': {
      const why = doubt ?? 'and nothing prices them; give --headers';
      return `not proven to be Bitcoin's: ${took}, ${why}`;
    }
  }
}

/** Two digits and a power of ten; short numbers in full. */
export function shortWork(work: string): string {
  if (work.length <= 6) return work;
  return `${work.slice(0, 1)}.${work.slice(1, 2)}e${work.length - 1}`;
}
