import { Fault } from '@assay/core/fault';
import type { AskedNumber } from './subject/asked-number.ts';
import { type Environment, PORTABLE } from './verdict/environment.ts';
import type { ChainLookup } from './feed/chain-lookup.ts';
import type { FolderReader } from './reader/folder-reader.ts';
import type { HeaderLookup } from './bitcoin/header-lookup.ts';
import { DEFAULT_LIMITS, type Limits } from './verdict/limits.ts';
import type { LogReader } from './reader/log-reader.ts';
import { type Policy, requirePolicy } from './verdict/policy.ts';
import { interrupted, openSession, type PinLookup, type Session } from './subject/session.ts';
import type { Verdict } from './verdict/verdict.ts';
import { verifyBundle } from './subject/verify-bundle.ts';
import { verifyFolder } from './subject/verify-folder.ts';
import { verifyLog } from './subject/verify-log.ts';

/** What can be verified: a log at a URL or in a static export, a data folder at rest, or one number. */
export type Subject =
  | { readonly kind: 'log'; readonly reader: LogReader }
  | { readonly kind: 'folder'; readonly folder: FolderReader }
  | { readonly kind: 'bundle'; readonly bytes: Uint8Array };

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
  /** The verifier's clock, in Unix seconds. Without it, times that lie ahead are not checked. */
  readonly now?: number;
}

/**
 * The verdict on a subject under a policy. Never throws because of what the subject holds, and never says "verified" by
 * default: what could not be reached makes it `incomplete`. Throws as `requirePolicy` for an invalid policy.
 */
export async function verify(
  subject: Subject,
  policy: Policy,
  options: VerifyOptions = {},
): Promise<Verdict> {
  const environment = options.environment ?? PORTABLE;
  const session = openSession(
    subject.kind,
    requirePolicy(environment.sha256, policy),
    options.pins ?? (() => Promise.resolve(undefined)),
    environment,
    { ...DEFAULT_LIMITS, ...options.limits },
    options.headers,
    options.entries ?? [],
    options.number,
    options.chain,
    options.now,
  );
  const run = verdictOn(session, subject, options);
  // Nobody awaits it where the deadline came first.
  run.catch(() => undefined);
  const { deadline } = session.limits;
  const ended = (error: unknown): never => {
    const expected = error instanceof Fault ? error.expected : undefined;
    session.work.end(expected ?? 'an end by its deadline');
    throw error;
  };
  try {
    return await (deadline === undefined ? run : Promise.race([run, deadline.catch(ended)]));
  } catch (error) {
    return interrupted(session, error);
  }
}

async function verdictOn(
  session: Session,
  subject: Subject,
  options: VerifyOptions,
): Promise<Verdict> {
  switch (subject.kind) {
    case 'log':
      return await verifyLog(session, subject.reader);
    case 'folder':
      return await verifyFolder(session, subject.folder);
    case 'bundle':
      if (options.chain !== undefined) {
        session.notChecked.add(
          'chain',
          'the accounts given',
          'a bundle brings those of its own print',
        );
      }
      return await verifyBundle(session, subject.bytes);
  }
}
