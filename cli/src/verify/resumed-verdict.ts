import type { ChainLookup } from '@assay/verifier/feed/chain-lookup';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import type { VisitMemory } from '@assay/verifier/subject/kept-visit';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import type { KeptAnswers } from './kept-answers.ts';
import { AskedAhead } from './asked-ahead.ts';
import type { VisitStore } from './visit-store.ts';

/** What visits to a log leave for the next one. */
export interface Resumption {
  readonly answers: KeptAnswers;
  readonly visit: VisitStore;
}

/** Whom a walk asks. */
export interface Asked {
  readonly log: LogReader;
  readonly chain: ChainLookup | undefined;
}

/** A walk over a log; without a memory it begins with entry 0. */
export type Walk = (asked: Asked & { readonly memory?: VisitMemory }) => Promise<Verdict>;

/**
 * The verdict on a log of which an earlier visit kept answers and what it had learned. It is about what the log shows, and
 * not about files of this machine. Where something of an earlier visit was used:
 *
 * - and the walk has a finding, all of it is dropped and the log is walked once more;
 * - and the walk was interrupted or threw, it is walked once more without any of it, which is dropped only where that comes
 *   to something else;
 * - and the time is over, a finding of a walk that went on is none: the verdict is incomplete.
 *
 * Nobody looks for a cause here where one is known: where the server of the log or the node of the chain gave no answer, the
 * address has no log, or the time is over. A good verdict is what the next visit goes on from. Throws what the walk throws.
 */
export async function resumedVerdict(
  { answers: kept, visit }: Resumption,
  asked: Asked,
  walk: Walk,
  time: { readonly aborted: boolean },
): Promise<Verdict> {
  let isAnswered = true;
  const watched = watchedBy(asked, () => {
    isAnswered = false;
  });
  const ahead = new AskedAhead(watched.log);
  const memory: VisitMemory = {
    take: async () => {
      const found = await visit.take();
      // A server that makes its answers has a budget of them, and says with each for how long a log it is.
      if (found !== undefined && !watched.log.live) ahead.begin(visit.asked);
      return found;
    },
    rows: () => visit.rows(),
    keep: (...found) => visit.keep(...found),
  };
  const isUsed = (): boolean => kept.used > 0 || visit.used;
  const isSuspect = (): boolean => isUsed() && !time.aborted && isAnswered;
  const clear = async (): Promise<void> => {
    await kept.clear();
    await visit.clear();
  };
  let first: Verdict | undefined;
  try {
    first = await walk({ ...watched, log: kept.reader(ahead.reader), memory });
  } catch (error) {
    if (!isSuspect()) throw error;
  } finally {
    ahead.end();
  }
  if (first?.outcome === 'findings' && isUsed()) {
    if (time.aborted) return visit.used ? cutShort(first) : first;
    await clear();
    const anew = new AskedAhead(asked.log);
    const second = await walk({ ...asked, log: kept.reader(anew.reader), memory: visit });
    return await confirmed(second, visit, anew);
  }
  const isCutShort =
    first === undefined || (first.outcome === 'incomplete' && first.cause === 'interrupted');
  if (first !== undefined && !(isCutShort && isSuspect()))
    return await confirmed(first, visit, ahead);
  const again = await walk(asked);
  const isSame =
    first?.outcome === 'incomplete' &&
    again.outcome === 'incomplete' &&
    first.reason === again.reason;
  if (!isSame) await clear();
  return again;
}

async function confirmed(
  verdict: Verdict,
  visit: VisitStore,
  { asked }: Pick<AskedAhead, 'asked'>,
): Promise<Verdict> {
  if (verdict.outcome === 'verified') await visit.confirm(asked);
  return verdict;
}

/** Those who are asked, with `onFailed` called where one of them gives no answer. */
function watchedBy({ log, chain }: Asked, onFailed: () => void): Asked {
  const watch = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      onFailed();
      throw error;
    }
  };
  return {
    log: { ...log, get: (path) => watch(log.get(path)) },
    chain: watchedChain(chain, watch),
  };
}

function watchedChain(
  chain: ChainLookup | undefined,
  watch: <T>(answer: Promise<T>) => Promise<T>,
): ChainLookup | undefined {
  if (chain === undefined) return undefined;
  const { at } = chain;
  return {
    ...chain,
    accounts: (addresses) => watch(chain.accounts(addresses)),
    feeds: (program, genesis) => watch(chain.feeds(program, genesis)),
    ...(at === undefined
      ? {}
      : { at: async (slot: number) => watchedChain(await watch(at(slot)), watch) }),
  };
}

/** Nothing is said about a log where there is no time to see whether a file of this machine is the cause. */
function cutShort(verdict: Verdict): Verdict {
  const { type, verifier, demands, subject, checked, not_checked, reservations } = verdict;
  return {
    type,
    verifier,
    demands,
    subject,
    checked,
    not_checked,
    reservations,
    outcome: 'incomplete',
    cause: 'interrupted',
    reason:
      'a walk that went on from an earlier visit has a finding, and the time for a walk from entry 0 is over',
    findings: [],
  };
}
