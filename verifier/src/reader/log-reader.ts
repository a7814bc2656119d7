/** The answer of a log's server, or of a static export, for a path. */
export interface Answer {
  /** HTTP status; 200 or 404 for a file. */
  readonly status: number;
  readonly body: Uint8Array;
  /** The size of the log that a folded answer is for; undefined where it names none. */
  readonly logSize: number | undefined;
}

/**
 * Where a log is read from. Paths begin with a slash: `/checkpoint`, `/tile/...`, `/blob/<sha256>`, `/pack/...` and the API's.
 * Throws only when nothing could be reached, which ends a verification as incomplete.
 */
export interface LogReader {
  readonly get: (path: string) => Promise<Answer>;
  /** Whether answers may be for different sizes: true for a running server, false for files. */
  readonly live: boolean;
  /**
   * How many of the newest periods of each index have their answers there, for a copy that has no older ones; absent
   * or undefined for one that has all.
   */
  readonly reports?: () => Promise<number | undefined>;
  /** Whether it reads files of this machine, so that blobs are read one by one, as they lie there. */
  readonly local?: boolean;
}

/** An answer of the API, and the path that was asked for. */
export interface ServedAnswer {
  readonly path: string;
  readonly status: number;
  readonly body: Uint8Array;
}
