import { isCheap, worthText } from '@assay/verifier/bitcoin/header-lookup';
import type { BitcoinFacts, BlockFacts, Verdict, Window } from '@assay/verifier/verdict/verdict';

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
  const first = development ? 'development, not Bitcoin: its blocks prove nothing. ' : '';
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

/**
 * What a reader of a bundle's first line must know about its block; undefined if it is proven, or if it proves
 * nothing anyway.
 */
export function blockReservation(facts: BitcoinFacts): string | undefined {
  const { before = null } = facts.windows[0] ?? {};
  if (before === null) return 'not yet in a block';
  if (facts.network === 'development' || isProven(before, facts)) return undefined;
  return `its block ${unproven(before, facts)}`;
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
