import type { BitcoinFacts, BlockFacts, Verdict, Window } from '@assay/verifier/verdict';

/** What a verdict says of Bitcoin in one row. */
export interface BitcoinWords {
  readonly words: string;
  /** Whether a reader may take it as said. */
  readonly proven: boolean;
}

/**
 * How far a log stands in Bitcoin, and what vouches for it. A development chain is never called Bitcoin,
 * and what is only promised never proven.
 */
export function bitcoinWords(facts: BitcoinFacts, subject: Verdict['subject']): BitcoinWords {
  const { anchored, network, newest_beacon: beacon } = facts;
  const development = network === 'development';
  const first = development ? 'development, not Bitcoin: its blocks prove nothing. ' : '';
  if (subject === 'bundle') {
    const [window] = facts.windows;
    const { before = null, after = null } = window ?? {};
    const block = before ?? after;
    if (block === null) return { words: `${first}no block is named`, proven: false };
    return { words: `${first}${trustWords(block, facts)}`, proven: isProven(block, facts) };
  }
  if (anchored !== null) {
    const held = `block ${anchored.height} (${anchored.time}) holds entries 0 to ${anchored.size - 1}`;
    const words = `${first}${held}; ${trustWords(anchored, facts)}`;
    return { words, proven: isProven(anchored, facts) };
  }
  if (beacon === null && facts.pending_count === 0) {
    return { words: development ? '' : 'no block holds anything of this log', proven: false };
  }
  return { words: `${first}no block holds anything of this log yet`, proven: false };
}

/** The two blocks of an entry, in lines. */
export function windowWords(window: Window, facts: BitcoinFacts): readonly string[] {
  const { seq, kind, after, before, pending } = window;
  const chain = facts.network === 'development' ? 'development block' : 'block';
  const one = (block: BlockFacts): string =>
    `${chain} ${block.height} (${block.time})${isProven(block, facts) ? '' : `, ${unproven(block, facts)}`}`;
  return [
    `entry ${seq} (${kind}) was written`,
    after === null ? 'after no block that the log names' : `after ${one(after)}`,
    before === null ? `before no block yet: ${pending ?? 'pending'}` : `before ${one(before)}`,
  ];
}

function unproven({ trust }: BlockFacts, { network }: BitcoinFacts): string {
  if (network === 'development') return 'which proves nothing';
  return trust === 'explorer' ? "by an explorer's word alone" : "not proven to be Bitcoin's";
}

function isProven({ trust }: BlockFacts, { network }: BitcoinFacts): boolean {
  return network === 'bitcoin' && (trust === 'headers' || trust === 'work');
}

/** What vouches for a block, in words that cannot be taken for more. */
function trustWords(
  { trust, headers, work }: BlockFacts,
  { network, source }: BitcoinFacts,
): string {
  const took = `${headers} ${headers === 1 ? 'block' : 'blocks'} worth ${shortWork(work)} hashes`;
  switch (trust) {
    case 'headers':
      return `by ${source?.description ?? 'headers'}, tip ${source?.height} of ${source?.time.slice(0, 10)}`;
    case 'explorer':
      return `by an explorer's word alone (${source?.description ?? 'explorer'})`;
    case 'work':
      return network === 'development'
        ? `by work: ${took}`
        : `by work: ${took}, priced by the shipped table`;
    case 'none':
      return `not proven to be Bitcoin's: ${took}, and nothing prices them; give --headers`;
  }
}

/** Two digits and a power of ten; short numbers whole. */
export function shortWork(work: string): string {
  if (work.length <= 6) return work;
  return `${work.slice(0, 1)}.${work.slice(1, 2)}e${work.length - 1}`;
}
