import type { Answer, LogReader } from '../reader/log-reader.ts';

/** How many answers are asked for at once of a server, which makes each of them. */
const OF_SERVER_AT_ONCE = 8;
/** How many of a copy, which has them as files. The next ones are on their way while these are compared. */
const OF_COPY_AT_ONCE = 64;

/** An answer, and the path that was asked for. */
export interface AskedAnswer extends Answer {
  readonly path: string;
}

/** The answers to these paths in their order, some at a time, and how many came before them. Throws as `LogReader.get`. */
export async function* askedAnswers(
  reader: LogReader,
  paths: readonly string[],
): AsyncGenerator<{ readonly from: number; readonly answers: readonly AskedAnswer[] }> {
  const step = reader.live ? OF_SERVER_AT_ONCE : OF_COPY_AT_ONCE;
  const ask = (from: number): Promise<readonly AskedAnswer[]> => {
    const some = paths.slice(from, from + step);
    const answers = Promise.all(some.map(async (path) => ({ path, ...(await reader.get(path)) })));
    // Whoever waits for it gets the error.
    answers.catch(() => undefined);
    return answers;
  };
  let ahead: Promise<readonly AskedAnswer[]> | undefined;
  for (let from = 0; from < paths.length; from += step) {
    const answers = await (ahead ?? ask(from));
    ahead = reader.live ? undefined : ask(from + step);
    yield { from, answers };
  }
}
