import type { FolderReader } from './reader/folder-reader.ts';
import type { LogReader } from './reader/log-reader.ts';
import { bundleVerdict } from './subject/bundle-verdict.ts';
import { logVerdict } from './subject/log-verdict.ts';
import { verification, type VerifyOptions } from './subject/verification.ts';
import { verifyFolder } from './subject/verify-folder.ts';
import type { Policy } from './verdict/policy.ts';
import type { Verdict } from './verdict/verdict.ts';

export type { VerifyOptions } from './subject/verification.ts';

/** What can be verified: a log at a URL or in a static export, a data folder at rest, or one number. */
export type Subject =
  | { readonly kind: 'log'; readonly reader: LogReader }
  | { readonly kind: 'folder'; readonly folder: FolderReader }
  | { readonly kind: 'bundle'; readonly bytes: Uint8Array };

/**
 * The verdict on a subject under a policy. Never throws because of what the subject holds, and never says "verified" by
 * default: what could not be reached makes it `incomplete`. Throws as `requirePolicy` for an invalid policy.
 */
export async function verify(
  subject: Subject,
  policy: Policy,
  options: VerifyOptions = {},
): Promise<Verdict> {
  switch (subject.kind) {
    case 'log':
      return await logVerdict(subject.reader, policy, options);
    case 'folder':
      return await verification('folder', policy, options, (session) =>
        verifyFolder(session, subject.folder),
      );
    case 'bundle':
      return await bundleVerdict(subject.bytes, policy, options);
  }
}
