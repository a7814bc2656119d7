import { type Profiler, Session } from 'node:inspector';

// From the start: a function that was compiled before has no counters of its blocks.
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/**
 * How many blocks of this project's code `work` runs, each counted as often as it is run: the body of a function, of a
 * loop, of a branch. It is the same at each run, on any machine, so that a test can say that work grows in proportion to
 * its input. What an engine does within one call (a search in a string, a sort, BigInt) is not in it.
 *
 * Source: V8's block coverage in its precise mode, https://v8.dev/blog/javascript-code-coverage.
 */
export function executedBlocks(work: () => void): number {
  takeBlocks();
  work();
  return takeBlocks();
}

/** The blocks that were run since they were taken last, for work that waits: whatever else runs meanwhile is counted with it. */
export function takeBlocks(): number {
  let blocks = 0;
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    for (const script of result) blocks += blocksOf(script);
  });
  return blocks;
}

function blocksOf({ url, functions }: Profiler.ScriptCoverage): number {
  if (!/\/(?:core|verifier|node|cli|chain)\/dist\//.test(url)) return 0;
  let blocks = 0;
  for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
  return blocks;
}
