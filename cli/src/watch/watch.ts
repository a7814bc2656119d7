import { setMaxListeners } from 'node:events';
import { parseArgs } from 'node:util';
import { formatTime } from '@assay/core/time/time';
import { withDeadline } from '@assay/node/platform/deadline';
import { DEFAULT_GRACE_S } from '@assay/verifier/watch/cross-check';
import { DEFAULT_LIMITS } from '@assay/verifier/verdict/limits';
import { type Poll, Watch } from '@assay/verifier/watch/watch';
import { EXIT, type ExitCode, UsageError } from '../command/exit.ts';
import { fairPause } from '../reader/fair-pause.ts';
import { lockFolder } from '../process/folder-lock.ts';
import { httpReader } from '../reader/http-reader.ts';
import { nodeEnvironment } from '../process/node-environment.ts';
import { positiveOption } from '../command/options.ts';
import { POLICY_HELP, POLICY_OPTIONS, policyOf } from '../verify/policy-options.ts';
import { printableJson } from '../text/printable-json.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';
import { logUrl } from '../reader/log-url.ts';
import { defaultWatchFolder, openWatchState, type WatchState } from './watch-state.ts';
import { type Told, watchText } from './watch-text.ts';

/** Seconds between two polls. */
const EVERY_S = 60;
/** Seconds that an address may take in a poll, of many polls and of one. */
const TURN_S = 60;
const ONLY_TURN_S = 3600;
/** The longest wait that a timer of Node holds. */
const MAX_TURN_S = 2_147_483;
/** Requests that may wait for the same signal: more of them than Node's 10 are no leak. */
const MAX_REQUESTS = 1000;

export const watchHelp: string = `assay watch URL [URL...]

Follows logs from several addresses at once: a publisher's, co-signers' own logs, and the copies
that others keep (.../mirror/<hex>). One history everywhere, every word of a co-signer in the
publisher's log, and the other way round. Writes a file of evidence where somebody signed what
excludes itself: \`assay evidence check\` proves it.

${POLICY_HELP}
                  all of them for the log that they name, and the log at the first URL
  --state DIR     what was seen, and evidence (default: ~/.local/state/assay/watch)
  --once          one poll, then an end
  --every S       seconds between two polls (default ${EVERY_S})
  --turn S        seconds of a poll that one address may take; its log is followed on
                  meanwhile (default ${TURN_S}, with --once ${ONLY_TURN_S})
  --grace S       seconds that a word, or a co-signer, may be late (default ${DEFAULT_GRACE_S})
  --json          each poll as JSON, on a line

Exit code: 0 nothing found, 1 findings, 2 usage, 3 something could not be looked at, or a poll was
cut short.`;

export async function watchCommand(
  args: readonly string[],
  terminal: Terminal,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...POLICY_OPTIONS,
      state: { type: 'string' },
      once: { type: 'boolean' },
      every: { type: 'string' },
      grace: { type: 'string' },
      turn: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  if (positionals.length === 0) throw new UsageError('watch takes one URL at least');
  const urls = positionals.map((target) => {
    const url = logUrl(target);
    if (url === undefined) throw new UsageError(`${target} is no URL`);
    return url;
  });
  if (new Set(urls).size < urls.length) throw new UsageError('watch takes each URL once');
  if (values.once === true && values.every !== undefined) {
    throw new UsageError('watch takes one of --once and --every');
  }
  const policy = await policyOf(values);
  const everyS = positiveOption(values.every, '--every') ?? EVERY_S;
  const graceS = positiveOption(values.grace, '--grace') ?? DEFAULT_GRACE_S;
  const asked =
    positiveOption(values.turn, '--turn') ?? (values.once === true ? ONLY_TURN_S : TURN_S);
  const turnMs = Math.min(asked, MAX_TURN_S) * 1000;
  const folder = values.state ?? defaultWatchFolder(environment);
  const release = await lockFolder(folder);
  const stop = new AbortController();
  setMaxListeners(MAX_REQUESTS, stop.signal);
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const progress = slowProgress(terminal, () => performance.now());
  let code: ExitCode = EXIT.ok;
  let before = '';
  let heads: Told | undefined;
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
      },
      limits: { ...DEFAULT_LIMITS, signal: stop.signal },
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
        tell(heads, before, values.json === true, terminal);
        return EXIT.findings;
      }
      heads = undefined;
      const told = await record(poll, state);
      code = exitOf(poll, code);
      before = tell(told, before, values.json === true, terminal);
      if (values.once === true) return code;
      await pause(everyS, stop.signal);
      if (stop.signal.aborted) return code;
    }
  } finally {
    // What is still on its way need not come.
    stop.abort();
    await release();
    process.removeListener('SIGINT', end).removeListener('SIGTERM', end);
  }
}

/** Keeps what was seen before anything is said of it, and writes the evidence. */
async function record(poll: Poll, state: WatchState): Promise<Told> {
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
function tell(told: Told, before: string, json: boolean, terminal: Terminal): string {
  const { findings, missed, crossed, notes, files } = told;
  const seen = told.seen.map(({ url, origin, accepted }) => ({ url, origin, accepted }));
  const said = JSON.stringify({ findings, missed, crossed, notes, seen });
  if (json) {
    const heads = told.seen.map(({ url, origin, size, accepted }) => ({
      url,
      origin,
      size,
      accepted,
    }));
    const shown = findings.map((finding) => ({ ...finding, evidence: files.get(finding) ?? null }));
    terminal.out(printableJson({ findings: shown, seen: heads, crossed, missed, notes }, 0));
  } else if (said !== before) {
    if (before !== '') terminal.out('');
    for (const line of watchText(told, terminal)) terminal.out(line);
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
