import { faultCode, messageOf } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';

/** How many failures of a minute are told. */
const PER_MINUTE = 20;
const WINDOW_S = 60;
/** The longest reason. */
const MAX_REASON = 300;

/** One failure, for the log of the operator. */
export interface McpFailure {
  /** `message`: the library refused what a client sent. `answer`: what a tool or a resource is made of failed. */
  readonly of: 'message' | 'answer';
  /** The code of JSON-RPC, that of a fault, or the name of the error's class. */
  readonly code: string;
  /** What was thrown, in words. Absent for a message, where the words would be the client's. */
  readonly reason?: string;
  /** How many failures of the minutes before were not told; absent where all were. */
  readonly left_out?: number;
}

/** Tells the operator of failures, and never so many that a client could fill the log with them. */
export class FailureLog {
  readonly #write: (failure: McpFailure) => void;
  readonly #elapsed: () => number;
  #began = Number.NEGATIVE_INFINITY;
  #told = 0;
  #leftOut = 0;

  /** `elapsed` are seconds of a clock without steps. */
  constructor(write: (failure: McpFailure) => void, elapsed: () => number) {
    this.#write = write;
    this.#elapsed = elapsed;
  }

  /** The library refused a message: its error may quote it. */
  message(error: unknown): void {
    this.#tell({ of: 'message', code: codeOf(error) });
  }

  /** Something was thrown that no client is told about. */
  answer(error: unknown): void {
    const reason = printable(messageOf(error).slice(0, MAX_REASON));
    this.#tell({ of: 'answer', code: codeOf(error), reason });
  }

  #tell(failure: McpFailure): void {
    const now = this.#elapsed();
    if (now - this.#began >= WINDOW_S) {
      this.#began = now;
      this.#told = 0;
    }
    if (this.#told >= PER_MINUTE) {
      this.#leftOut += 1;
      return;
    }
    this.#told += 1;
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    this.#write(leftOut === 0 ? failure : { ...failure, left_out: leftOut });
  }
}

function codeOf(error: unknown): string {
  const code = faultCode(error);
  if (code !== undefined) return code;
  if (!(error instanceof Error)) return 'thrown';
  const { code: number } = error as { code?: unknown };
  if (typeof number === 'number') return String(number);
  const { name } = error.constructor;
  return /^[A-Za-z]{1,40}$/.test(name) ? name : 'Error';
}
