/** What keeps a release from being made, with a fixed code. What is wrong with its key is a `Fault`. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
  readonly code: ReleaseErrorCode;

  constructor(code: ReleaseErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type ReleaseErrorCode =
  | 'usage' // an option that is not there, or no key file
  | 'uncommitted' // the working tree is not what its commit has
  | 'not_empty' // the folder for the release has something in it
  | 'build_failed' // the commit does not compile
  | 'build_differs' // the commit gave other bytes the second time
  | 'unreachable'; // npm could not find out what an installation brings
