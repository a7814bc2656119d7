import type { AskedNumber } from './asked-number.ts';
import { type Environment, PORTABLE } from './environment.ts';
import type { FolderReader } from './folder-reader.ts';
import type { HeaderLookup } from './header-lookup.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { LogReader } from './log-reader.ts';
import type { Policy } from './policy.ts';
import { interrupted, openSession, type PinLookup } from './session.ts';
import type { Verdict } from './verdict.ts';
import { verifyBundle } from './verify-bundle.ts';
import { verifyFolder } from './verify-folder.ts';
import { verifyLog } from './verify-log.ts';

/** What can be verified: a log at a URL or in a static export, a data folder at rest, or one number. */
export type Subject =
  | { readonly kind: 'log'; readonly reader: LogReader }
  | { readonly kind: 'folder'; readonly folder: FolderReader }
  | { readonly kind: 'bundle'; readonly bytes: Uint8Array };

export interface VerifyOptions {
  /** What earlier visits left behind; none where absent. */
  readonly pins?: PinLookup;
  /** Faster hashing and signatures; plain JavaScript and WebCrypto where absent. */
  readonly environment?: Environment;
  /** How much a log may ask of this machine; `DEFAULT_LIMITS` where absent. */
  readonly limits?: Partial<Limits>;
  /** Bitcoin's headers; where absent, the work of those in the log is priced by the shipped table. */
  readonly headers?: HeaderLookup;
  /** Entries of the log whose window between two blocks the verdict is to name. */
  readonly entries?: readonly number[];
  /** The number that a bundle must be about, or it has a finding; for a bundle alone. */
  readonly number?: AskedNumber;
}

/**
 * The verdict on a subject under a policy. Never throws on what the subject holds, and never says
 * "verified" by default: what could not be reached makes it `incomplete`.
 */
export async function verify(
  subject: Subject,
  policy: Policy,
  options: VerifyOptions = {},
): Promise<Verdict> {
  const session = openSession(
    subject.kind,
    policy,
    options.pins ?? (() => Promise.resolve(undefined)),
    options.environment ?? PORTABLE,
    { ...DEFAULT_LIMITS, ...options.limits },
    options.headers,
    options.entries ?? [],
    options.number,
  );
  try {
    switch (subject.kind) {
      case 'log':
        return await verifyLog(session, subject.reader);
      case 'folder':
        return await verifyFolder(session, subject.folder);
      case 'bundle':
        return await verifyBundle(session, subject.bytes);
    }
  } catch (error) {
    return interrupted(session, error);
  }
}
