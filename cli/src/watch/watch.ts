import { setMaxListeners } from 'node:events';
import { formatTime } from '@assay/core/time/time';
import { withDeadline } from '@assay/node/platform/deadline';
import { DEFAULT_GRACE_S } from '@assay/verifier/watch/cross-check';
import { MOST_IN_MEMORY, TemporaryRows } from '@assay/node/ledger/scratch/temporary-rows';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { type Poll, Watch } from '@assay/verifier/watch/watch';
import { command, type Command, type Environment, type Given } from '../command/command.ts';
import { flag, option } from '../command/option.ts';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { fairPause } from '../reader/fair-pause.ts';
import { lockFolder } from '../process/folder-lock.ts';
import { httpReader } from '../reader/http-reader.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { positive } from '../command/options.ts';
import { POLICY_OPTIONS, policyOf } from '../verify/policy-options.ts';
import { printableJson } from '../text/printable-json.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';
import { logUrl } from '../reader/log-url.ts';
import { defaultWatchFolder, openWatchState, type WatchState } from './watch-state.ts';
import { type RecordedPoll, watchText } from './watch-text.ts';

/** Seconds between two polls. */
const EVERY_S = 60;
/** Seconds that an address may take in a poll, of many polls and of one. */
const TURN_S = 60;
const ONLY_TURN_S = 3600;
/** The longest wait that a timer of Node holds. */
const MAX_TURN_S = 2_147_483;
/** Requests that may wait for the same signal: more of them than Node's 10 are no leak. */
const MAX_REQUESTS = 1000;

const OPTIONS = {
  ...POLICY_OPTIONS,
  state: option('FOLDER')`
    Where evidence and what was seen are kept. The default is ~/.local/state/assay/watch.`,
  once: flag`
    Check all addresses once, and end.`,
  every: option('S', { parse: positive })`
    How many seconds lie between two checks. The default is ${EVERY_S}.`,
  turn: option('S', { parse: positive })`
    How many seconds one address may take in a check; its log is followed further in the next. The
    default is ${ONLY_TURN_S} with --once, and ${TURN_S} without.`,
  grace: option('S', { parse: positive, fallback: DEFAULT_GRACE_S })`
    How many seconds a statement, or a co-signer, may be late.`,
  json: flag`
    Print each check as JSON, on one line.`,
} as const;

export const watchCommand: Command = command({
  name: 'watch',
  summary: 'Follow logs at several addresses, and compare what they show.',
  about: `Follows logs at several addresses at once: the log of a publisher, the logs of its co-signers, and the copies that others keep (.../mirror/<hex>). All of them must show one history. Every statement of a co-signer must stand in the publisher's log, and every co-signature there in the log of its co-signer.

    Where somebody has signed two things that exclude each other, the command writes a file of evidence, which assay evidence check proves. The options about trust hold for the log that they name, and for the log at the first URL.`,
  operands: { targets: { value: 'URL', many: true, about: 'The address of a log.' } },
  options: OPTIONS,
  atMostOne: [['once', 'every']],
  exits: {
    0: 'Nothing was found.',
    1: 'There are findings.',
    3: 'Something could not be checked, or a check was cut short.',
  },
  examples: {
    'assay watch https://index.example.org https://recount.example.net':
      'Follow a publisher and a co-signer of it.',
  },
  run: watchLogs,
});

async function watchLogs(
  given: Given<typeof OPTIONS> & { readonly targets: readonly string[] },
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const urls = given.targets.map((target) => {
    const url = logUrl(target);
    if (url === undefined) throw new UsageError(`${target} is no URL`);
    return url;
  });
  if (new Set(urls).size < urls.length) throw new UsageError('each URL is given once');
  const policy = await policyOf(given);
  const { every = EVERY_S, grace: graceS } = given;
  const turnMs = Math.min(given.turn ?? (given.once ? ONLY_TURN_S : TURN_S), MAX_TURN_S) * 1000;
  const folder = given.state ?? defaultWatchFolder(environment);
  const release = await lockFolder(folder);
  const stop = new AbortController();
  setMaxListeners(MAX_REQUESTS, stop.signal);
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const progress = slowProgress(terminal, () => performance.now());
  const rows = new TemporaryRows(nodeSha256);
  let code: ExitCode = EXIT.ok;
  let before = '';
  let heads: RecordedPoll | undefined;
  try {
    const state = await openWatchState(folder);
    const watch = new Watch({
      urls,
      readerOf: (url) => httpReader(url, stop.signal),
      policy,
      kept: state.kept,
      keptAddress: state.keptAddress,
      environment: {
        ...nodeEnvironment(progress.tell, false),
        // Several logs share this thread.
        pause: fairPause(),
        rowStore: rows.make,
      },
      limits: { ...DEFAULT_LIMITS, folded_bytes: MOST_IN_MEMORY, signal: stop.signal },
      now: () => Math.floor(Date.now() / 1000),
      graceS,
      within: (work) => withDeadline(turnMs, 'turn of an address', work, stop.signal),
      onHeads: async (poll) => {
        heads = await record(poll, state);
      },
    });
    for (;;) {
      const poll = await watch.poll();
      progress.end();
      if (stop.signal.aborted) {
        // What is missing in it says nothing; what its heads have shown stands.
        if (heads === undefined || heads.findings.length === 0) return cutShort(code);
        tell(heads, before, given.json, terminal);
        return EXIT.findings;
      }
      heads = undefined;
      const recorded = await record(poll, state);
      code = exitOf(poll, code);
      before = tell(recorded, before, given.json, terminal);
      if (given.once) return code;
      await pause(every, stop.signal);
      if (stop.signal.aborted) return code;
    }
  } finally {
    // What is still on its way need not come.
    stop.abort();
    await rows.drop();
    await release();
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
  }
}

/** Keeps what was seen before anything is said of it, and writes the evidence. */
async function record(poll: Poll, state: WatchState): Promise<RecordedPoll> {
  await state.keep(poll.seen, formatTime(Math.floor(Date.now() / 1000)));
  const files = new Map<Poll['findings'][number], string>();
  for (const finding of poll.findings) {
    if (finding.evidence !== null) files.set(finding, await state.file(finding.evidence));
  }
  return { ...poll, files };
}

/** Findings outweigh what was missed, in this poll or in one before. */
function exitOf({ findings, missed }: Poll, before: ExitCode): ExitCode {
  if (findings.length > 0 || before === EXIT.findings) return EXIT.findings;
  return missed.length > 0 ? EXIT.incomplete : EXIT.ok;
}

/** A poll that was ended before its end, behind others. */
function cutShort(before: ExitCode): ExitCode {
  return before === EXIT.findings ? EXIT.findings : EXIT.incomplete;
}

/** Says what a poll came to where it is not what the one before said but for sizes; what it said. */
function tell(recorded: RecordedPoll, before: string, json: boolean, terminal: Terminal): string {
  const { findings, missed, crossed, notes, files } = recorded;
  const seen = recorded.seen.map(({ url, origin, accepted }) => ({ url, origin, accepted }));
  const said = JSON.stringify({ findings, missed, crossed, notes, seen });
  if (json) {
    const heads = recorded.seen.map(({ url, origin, size, accepted }) => ({
      url,
      origin,
      size,
      accepted,
    }));
    const shown = findings.map((finding) => ({ ...finding, evidence: files.get(finding) ?? null }));
    terminal.out(printableJson({ findings: shown, seen: heads, crossed, missed, notes }, 0));
  } else if (said !== before) {
    if (before !== '') terminal.out('');
    for (const line of watchText(recorded, terminal)) terminal.out(line);
  }
  return said;
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, seconds * 1000);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
