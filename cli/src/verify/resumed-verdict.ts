import type { LogReader } from '@assay/verifier/reader/log-reader';
import type { VisitMemory } from '@assay/verifier/subject/kept-visit';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import type { KeptAnswers } from './kept-answers.ts';
import type { VisitStore } from './visit-store.ts';

/** What visits to a log leave for the next one. */
export interface Resumption {
  readonly answers: KeptAnswers;
  readonly visit: VisitStore;
}

/**
 * The verdict on a log of which an earlier visit kept answers and what it had learned. It is about what the log shows, and
 * not about a file of this machine: where something of an earlier visit was used, and the walk has a finding, was
 * interrupted or threw, all of it is dropped and the log is walked once more. It is left as it is where it is known not to
 * be the cause: the server gave no answer to a request, the address has no log, or the time is over. A good verdict is what
 * the next visit goes on from. Throws what the walk throws.
 */
export async function resumedVerdict(
  { answers: kept, visit }: Resumption,
  log: LogReader,
  walk: (reader: LogReader, memory: VisitMemory) => Promise<Verdict>,
  time: { readonly aborted: boolean },
): Promise<Verdict> {
  let answers = true;
  const watched: LogReader = {
    ...log,
    get: async (path) => {
      try {
        return await log.get(path);
      } catch (error) {
        answers = false;
        throw error;
      }
    },
  };
  const isSuspect = (): boolean => (kept.used > 0 || visit.used) && !time.aborted;
  try {
    const verdict = await walk(kept.reader(watched), visit);
    const isCutShort = verdict.outcome === 'incomplete' && verdict.cause === 'interrupted';
    const isDoubtful = verdict.outcome === 'findings' || (isCutShort && answers);
    if (!isDoubtful || !isSuspect()) return await confirmed(verdict, visit);
  } catch (error) {
    if (!answers || !isSuspect()) throw error;
  }
  await kept.clear();
  await visit.clear();
  return await confirmed(await walk(kept.reader(log), visit), visit);
}

async function confirmed(verdict: Verdict, visit: VisitStore): Promise<Verdict> {
  if (verdict.outcome === 'verified') await visit.confirm();
  return verdict;
}
