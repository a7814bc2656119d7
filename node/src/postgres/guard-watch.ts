import { Fault, type FaultCode } from '@assay/core/fault';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { PostgresGuard } from './postgres-guard.ts';

export interface GuardWatchParts {
  readonly ledger: { readonly stopped: Fault | undefined; readonly resume: () => Promise<void> };
  readonly followers: Pick<PostgresGuard, 'followers' | 'concerns'>;
  /** Milliseconds between two checks. */
  readonly everyMs: number;
  readonly onResumed: () => void;
  readonly onResumeFailed: (error: unknown) => void;
}

/** What ends an epoch and may be over by itself: another one is taken then. */
const PASSING: ReadonlySet<FaultCode> = new Set(['guard_unknown', 'guard_unsafe', 'unreachable']);

const TAKEN_OVER: Concern = {
  level: 'halted',
  reason: 'Another machine has become the writer of the log: nothing is written here any more.',
};

/**
 * Takes another epoch, as the same writer, after one whose end was not known, as docs/commit.md has it. Where another writer
 * holds the row, it takes none: an operator does that with `assay promote`.
 */
export class GuardWatch implements Service {
  readonly #parts: GuardWatchParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopped = false;
  /** Whether another writer was found in the row, after which nothing is tried. */
  #isOver = false;

  constructor(parts: GuardWatchParts) {
    this.#parts = parts;
  }

  readonly start = (): void => {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.check().finally(() => this.start());
    }, this.#parts.everyMs);
  };

  readonly stop = async (): Promise<void> => {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  };

  readonly concerns = (): readonly Concern[] => {
    const { ledger, followers } = this.#parts;
    const isOver = this.#isOver || codesOf(ledger.stopped).includes('epoch_over');
    return [...(isOver ? [TAKEN_OVER] : []), ...followers.concerns()];
  };

  /** Checks once. Never throws. */
  async check(): Promise<void> {
    const { ledger, onResumed, onResumeFailed } = this.#parts;
    const codes = codesOf(ledger.stopped);
    if (codes.includes('epoch_over')) this.#isOver = true;
    if (this.#isOver || !codes.some((code) => PASSING.has(code))) return;
    try {
      await ledger.resume();
      onResumed();
    } catch (error) {
      if (codesOf(error).includes('epoch_over')) this.#isOver = true;
      onResumeFailed(error);
    }
  }
}

/** The codes of a fault and of what caused it. */
function codesOf(error: unknown): readonly FaultCode[] {
  const codes: FaultCode[] = [];
  for (let each = error, depth = 0; each instanceof Error && depth < 8; depth += 1) {
    if (each instanceof Fault) codes.push(each.code);
    each = each.cause;
  }
  return codes;
}
