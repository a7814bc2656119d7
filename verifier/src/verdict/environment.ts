import type { Sha256 } from '@assay/core/hash/hash';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import type { TextKind } from '@assay/core/rule/rule';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import { verifySignatureAsync } from '../ed25519/signature.ts';
import type { ReadResult, ReadTask } from '../task/read-task.ts';
import type { VerifySignatureAsync } from '../ed25519/profile.ts';

/** What a verification runs on. Node has faster functions; the accepted set is the same. */
export interface Environment {
  readonly sha256: Sha256;
  readonly verifySignature: VerifySignatureAsync;
  /**
   * Takes the text from the pages of an answer again; undefined for a kind that it does not know. Without it the kept
   * text is believed, and the verdict says so.
   */
  readonly extractText?: (
    kind: TextKind,
    pages: readonly Uint8Array[],
  ) => Promise<ExtractedText | undefined>;
  /**
   * Does a read of a rule on another thread, as `runRead` does it; undefined where it has no room for another one. It is
   * asked ahead of time for reads that will probably be needed. Without it each read is done when its turn comes, and
   * comes to the same. Rejects where the thread has died, and then the verification is not completed.
   */
  readonly readElsewhere?: (task: ReadTask) => Promise<ReadResult> | undefined;
  /** An empty place for the rows of a long log, outside of memory. Without it they are all held, up to `folded_bytes`. */
  readonly rowStore?: () => Promise<RowStore>;
  /** Resolves when timers and signals have run; without it a long stretch of work delays them. */
  readonly pause?: () => Promise<void>;
  /** Called now and then with how much is done of the total known so far. */
  readonly progress?: (done: number, total: number, what: string) => void;
}

/** A place outside of memory for the rows of one walk. Whoever makes places removes those that are left at the end. */
export interface RowStore extends ViewState {
  readonly write: (writes: Iterable<ViewWrite>) => void;
  /** Makes room where that is needed; undefined where nothing has to be waited for. Rows can be read meanwhile. */
  readonly flush: () => Promise<void> | undefined;
  /** Every row, by the UTF-8 of its table and then of its key. Nothing is written meanwhile. */
  readonly all: () => AsyncIterable<ViewWrite>;
  /** Removes all of it, for a walk that is given up. Nothing is read afterwards. */
  readonly drop: () => Promise<void>;
}

export interface ExtractedText {
  readonly name: string;
  readonly version: string;
  /** Null where the pages have no text. */
  readonly bytes: Uint8Array | null;
}

/** Plain JavaScript and WebCrypto: what a browser has. */
export const PORTABLE: Environment = {
  sha256: nobleSha256,
  verifySignature: verifySignatureAsync,
};
