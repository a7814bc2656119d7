/** What the end of a command means to a script. */
export const EXIT = {
  /** Done; for `verify`: verified. */
  ok: 0,
  /** `verify` has findings. */
  findings: 1,
  /**
   * The command line or a configuration cannot be understood, or the command line names a data folder that is
   * not there.
   */
  usage: 2,
  /** It could not be completed. */
  incomplete: 3,
  /** `evidence`: proven against keys that are not tied to anybody whom the caller named. */
  unnamed: 4,
  /** `evidence`: proven against others than the caller named. */
  other: 5,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command line that cannot be understood. It is reported as a sentence, with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
