import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskRoom } from './disk-room.ts';
import { writeDurable } from '../platform/durable-file.ts';
import type { Ledger } from '../ledger/ledger.ts';

export interface WriteWatchParts {
  readonly ledger: Pick<Ledger, 'hold' | 'stopped' | 'resume'>;
  readonly room: Pick<DiskRoom, 'measure' | 'shortage'>;
  /** Throws if the disk cannot be written; see `probeWrites`. */
  readonly probe: () => Promise<void>;
  /** Milliseconds between two checks. */
  readonly everyMs: number;
}

export interface WriteWatchEvents {
  readonly onResumed: () => void;
  /** The log could not resume, with the reason. */
  readonly onResumeFailed: (error: unknown) => void;
}

/**
 * Checks again and again whether a node's disk can be written. While there is too little space, nothing is
 * begun. After a write that failed for lack of space, the log resumes once there is space; after one that nobody
 * signed, once the signer answers.
 */
export class WriteWatch {
  readonly #parts: WriteWatchParts;
  readonly #events: WriteWatchEvents;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: WriteWatchParts, events: WriteWatchEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /**
   * The next check begins `everyMs` after the end of each check and of what follows it. `after` never throws.
   */
  start(after: () => Promise<void> = () => Promise.resolve()): void {
    if (this.#stopped) return;
    const lookAndAfter = async (): Promise<void> => {
      await this.check();
      if (!this.#stopped) await after();
    };
    this.#timer = setTimeout(() => {
      this.#running = lookAndAfter().finally(() => this.start(after));
    }, this.#parts.everyMs);
  }

  /** Checks once. A second call while it is under way gets the same promise. Never throws. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  /** Waits for the check under way; no other follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#checking;
  }

  async #check(): Promise<void> {
    const { ledger, room, probe } = this.#parts;
    await room.measure();
    const { shortage } = room;
    ledger.hold(shortage);
    const code = ledger.stopped?.code;
    const passes = code === 'no_room' || code === 'signer_away';
    if (shortage !== undefined || !passes || this.#stopped) return;
    try {
      await probe();
    } catch {
      // The disk is as full, or as read-only, as before, which was reported already.
      return;
    }
    try {
      await ledger.resume();
      this.#events.onResumed();
    } catch (error) {
      this.#events.onResumeFailed(error);
    }
  }
}

/** More than fits next to a file's name, because a disk may have space for that alone. */
const PROBE_BYTES = 65_536;

/** Writes a file in a folder, durably, and removes it. Throws what the system throws. */
export async function probeWrites(folder: string): Promise<void> {
  const path = join(folder, '.probe');
  await writeDurable(path, new Uint8Array(PROBE_BYTES), { mode: 0o600 });
  await rm(path, { force: true });
}
