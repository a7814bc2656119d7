import { Fault } from '@assay/core/fault';
import { WorkBudget } from '@assay/core/work-budget';
import type { Environment } from './environment.ts';

/**
 * What verifying a log may cost the machine. A log beyond a limit is not wrong: the verdict is `incomplete` and names
 * the limit.
 */
export interface Limits {
  /** Entries to walk, so that a server whose log never ends cannot keep a verifier busy forever. */
  readonly entries: number;
  /**
   * Bytes of the entries whose content is held in memory as rows: rules, reports, revisions. Where the environment has a
   * place for the rows of more (`rowStore`), they move there.
   */
  readonly folded_bytes: number;
  /** The same of entries whose rows are there. */
  readonly stored_bytes: number;
  /**
   * Sealed forecasts of the Arena to open, some 20 ms each. Beyond it the points of further rounds are not made again, and
   * the verdict says so.
   */
  readonly openings: number;
  /** Steps of a `WorkBudget`. Reading a byte takes about one. */
  readonly steps: number;
  /**
   * Once aborted, the verification ends as incomplete. It is read again and again during the work, while no timer can
   * run. An `aborted` that reads a clock is therefore a deadline for any input.
   */
  readonly signal: { readonly aborted: boolean };
  /** Rejects when all waiting must end; never where absent. */
  readonly deadline?: Promise<never>;
}

export const DEFAULT_LIMITS: Limits = {
  entries: 50_000_000,
  // As rows in memory they take about four times as much.
  folded_bytes: 268_435_456,
  stored_bytes: 17_179_869_184,
  openings: 20_000,
  steps: Number.POSITIVE_INFINITY,
  signal: { aborted: false },
};

/** The budget of one verification under these limits. */
export function workWithin({ steps, signal }: Pick<Limits, 'steps' | 'signal'>): WorkBudget {
  return new WorkBudget({ steps, isOver: () => signal.aborted });
}

/** How far a walk has come. */
export interface Reached {
  readonly entries: number;
  /** Bytes of the entries that were folded into rows. */
  readonly foldedBytes: number;
  /** Whether these rows are outside of memory. */
  readonly isStored?: boolean;
}

/** Throws `too_large` for a log beyond a limit. */
export function requireWithin(
  limits: Pick<Limits, 'entries' | 'folded_bytes' | 'stored_bytes'>,
  { entries, foldedBytes, isStored = false }: Reached,
): void {
  if (entries > limits.entries) throw over('entries', limits.entries, entries);
  const most = isStored ? limits.stored_bytes : limits.folded_bytes;
  if (foldedBytes > most) throw over('bytes of rules, reports and revisions', most, foldedBytes);
}

/** Lets waiting tasks run, where the environment can, and checks whether there is time left. */
export async function pauseWithin(work: WorkBudget, environment: Environment): Promise<void> {
  await environment.pause?.();
  work.check();
}

/** Steps of a hash, beside its bytes, and of a signature check, which engines without Ed25519 do in JavaScript. */
const HASH_STEPS = 512;
const SIGNATURE_STEPS = 131_072;

/**
 * `environment` with its hashes and signature checks charged to `work`, because all proofs, trees and chains consist of
 * them.
 */
export function chargedEnvironment(environment: Environment, work: WorkBudget): Environment {
  const { sha256, verifySignature } = environment;
  return {
    ...environment,
    sha256: (bytes) => {
      work.charge(HASH_STEPS + bytes.length);
      return sha256(bytes);
    },
    verifySignature: (key, message, signature) => {
      work.charge(SIGNATURE_STEPS);
      return verifySignature(key, message, signature);
    },
  };
}

function over(what: string, limit: number, found: number): Fault {
  return new Fault('too_large', 'log', {
    expected: `at most ${limit} ${what}, the limit of this verification`,
    found: String(found),
  });
}
