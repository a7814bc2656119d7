/** What a command's end means to a script. */
export const EXIT = {
  /** Done; for `verify`: verified. */
  ok: 0,
  /** `verify` has findings. */
  findings: 1,
  /** The command line or a config cannot be understood. */
  usage: 2,
  /** It could not be completed. */
  incomplete: 3,
  /** `evidence`: proven, of keys that nobody has tied to whom the caller named. */
  unnamed: 4,
  /** `evidence`: proven, of others than the caller named. */
  other: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command line that cannot be understood: said in words, with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
