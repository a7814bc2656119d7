import type { LogReader } from '@assay/verifier/reader/log-reader';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import type { KeptAnswers } from './kept-answers.ts';

/**
 * The verdict on a log some of whose answers were kept by an earlier visit. It is about what the log shows, and not about a
 * file of this machine: where answers of the file were used, and the walk has a finding, was interrupted or threw, they are
 * dropped and the log is walked once more. The file is left as it is where it is known not to be the cause: the server gave
 * no answer to a request, the address has no log, or the time is over. Throws what the walk throws.
 */
export async function resumedVerdict(
  kept: KeptAnswers,
  log: LogReader,
  walk: (reader: LogReader) => Promise<Verdict>,
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
  const isSuspect = (): boolean => kept.used > 0 && !time.aborted;
  try {
    const verdict = await walk(kept.reader(watched));
    const isCutShort = verdict.outcome === 'incomplete' && verdict.cause === 'interrupted';
    const isDoubtful = verdict.outcome === 'findings' || (isCutShort && answers);
    if (!isDoubtful || !isSuspect()) return verdict;
  } catch (error) {
    if (!answers || !isSuspect()) throw error;
  }
  await kept.clear();
  return await walk(kept.reader(log));
}
