import { Fault } from '@assay/core/fault';
import type { HeaderLookup } from '../bitcoin/header-lookup.ts';
import type { ChainLookup } from '../feed/chain-lookup.ts';
import { type Environment, PORTABLE } from '../verdict/environment.ts';
import { DEFAULT_LIMITS, type Limits } from '../verdict/limits.ts';
import { type Policy, requirePolicy } from '../verdict/policy.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { AskedNumber } from './asked-number.ts';
import type { VisitMemory } from './kept-visit.ts';
import { interrupted, openSession, type PinLookup, type Session } from './session.ts';

export interface VerifyOptions {
  /** What earlier visits left; none where absent. */
  readonly pins?: PinLookup;
  /** Faster hashing and signatures; plain JavaScript and WebCrypto where absent. */
  readonly environment?: Environment;
  /** How much a log may ask of this machine; `DEFAULT_LIMITS` where absent. */
  readonly limits?: Partial<Limits>;
  /** Bitcoin's headers; where absent, the work of those in the log is priced by the shipped table. */
  readonly headers?: HeaderLookup;
  /** Accounts of the chain that the log names, to compare with a log or a folder. */
  readonly chain?: ChainLookup;
  /** Entries of the log for which the verdict names the two blocks around them. */
  readonly entries?: readonly number[];
  /** The number that a bundle must be about, and that a whole log must have settled; anything else is a finding. */
  readonly number?: AskedNumber;
  /** Whether a block of the headers given must hold the report of a bundle; anything else is a finding. */
  readonly stamped?: boolean;
  /** The verifier's clock, in Unix seconds. Without it, times that lie ahead are not checked. */
  readonly now?: number;
  /**
   * Where an earlier visit to the log kept what it learned, and where this one does. Undefined for a log that is walked from
   * entry 0. It is not used with `headers` or `entries`.
   */
  readonly memory?: VisitMemory;
}

/**
 * The verdict of one verification, within its limits. What `run` throws, and a deadline, end it as `interrupted` does.
 * Throws as `requirePolicy` for an invalid policy.
 */
export async function verification(
  subject: Verdict['subject'],
  policy: Policy,
  options: VerifyOptions,
  run: (session: Session) => Promise<Verdict>,
): Promise<Verdict> {
  const environment = options.environment ?? PORTABLE;
  const session = openSession(
    subject,
    requirePolicy(environment.sha256, policy),
    options.pins ?? (() => Promise.resolve(undefined)),
    environment,
    { ...DEFAULT_LIMITS, ...options.limits },
    options.headers,
    options.entries ?? [],
    options.number,
    options.chain,
    options.now,
    options.stamped,
    options.memory,
  );
  const running = run(session);
  // Nobody awaits it where the deadline came first.
  running.catch(() => undefined);
  const { deadline } = session.limits;
  const ended = (error: unknown): never => {
    const expected = error instanceof Fault ? error.expected : undefined;
    session.work.end(expected ?? 'an end by its deadline');
    throw error;
  };
  try {
    return await (deadline === undefined
      ? running
      : Promise.race([running, deadline.catch(ended)]));
  } catch (error) {
    return interrupted(session, error);
  }
}
