import { Fault } from '@assay/core/fault';
import type { Environment } from './environment.ts';

/**
 * What a log may cost the machine that verifies it. A log beyond a limit is not wrong: the verdict is
 * `incomplete` and says which limit it was.
 */
export interface Limits {
  /** Entries to walk: a server that never comes to an end must not keep a verifier for good. */
  readonly entries: number;
  /** Bytes of the entries whose content is kept in memory as rows: rules, reports, revisions. */
  readonly folded_bytes: number;
  /** Looked at now and then: once aborted, the verification ends as incomplete. */
  readonly signal: { readonly aborted: boolean };
}

export const DEFAULT_LIMITS: Limits = {
  entries: 50_000_000,
  // As rows in memory they take about four times as much.
  folded_bytes: 268_435_456,
  signal: { aborted: false },
};

/** Throws `too_large` for a log beyond a limit, and `timeout` once the caller has had enough. */
export function requireWithin(
  limits: Limits,
  reached: { readonly entries: number; readonly foldedBytes: number },
): void {
  if (limits.signal.aborted) {
    throw new Fault('timeout', 'verification', { expected: 'an end before it was told to stop' });
  }
  const { entries, foldedBytes } = reached;
  if (entries > limits.entries) throw over('entries', limits.entries, entries);
  if (foldedBytes > limits.folded_bytes) {
    throw over('bytes of rules, reports and revisions', limits.folded_bytes, foldedBytes);
  }
}

/** Lets what waits have its turn, where the environment can, and looks at the signal. */
export async function pauseWithin(limits: Limits, environment: Environment): Promise<void> {
  await environment.pause?.();
  requireWithin(limits, { entries: 0, foldedBytes: 0 });
}

function over(what: string, limit: number, found: number): Fault {
  return new Fault('too_large', 'log', {
    expected: `at most ${limit} ${what}, the limit of this verification`,
    found: String(found),
  });
}
