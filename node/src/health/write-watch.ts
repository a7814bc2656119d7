import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskRoom } from './disk-room.ts';
import { writeDurable } from '../platform/durable-file.ts';
import type { Ledger } from '../ledger/ledger.ts';

export interface WriteWatchParts {
  readonly ledger: Pick<Ledger, 'hold' | 'stopped' | 'resume'>;
  readonly room: Pick<DiskRoom, 'look' | 'shortage'>;
  /** Throws where the disk takes no writes; see `probeWrites`. */
  readonly probe: () => Promise<void>;
  /** Milliseconds between two looks. */
  readonly everyMs: number;
}

export interface WriteWatchEvents {
  readonly onResumed: () => void;
  /** The log stays as it is: why. */
  readonly onResumeFailed: (error: unknown) => void;
}

/**
 * Looks again and again whether a node's disk takes writes. While there is too little room it has nothing begun; after
 * a write that failed for want of it, it has the log go on once there is room.
 */
export class WriteWatch {
  readonly #parts: WriteWatchParts;
  readonly #events: WriteWatchEvents;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: WriteWatchParts, events: WriteWatchEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Looks `everyMs` after the end of each look, and of what follows it. `after` never throws. */
  start(after: () => Promise<void> = () => Promise.resolve()): void {
    if (this.#stopped) return;
    const lookAndAfter = async (): Promise<void> => {
      await this.look();
      if (!this.#stopped) await after();
    };
    this.#timer = setTimeout(() => {
      this.#running = lookAndAfter().finally(() => this.start(after));
    }, this.#parts.everyMs);
  }

  /** One look; a second call while it is under way gets the same promise. Never throws. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Waits for the look under way; none follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { ledger, room, probe } = this.#parts;
    await room.look();
    const { shortage } = room;
    ledger.hold(shortage);
    if (shortage !== undefined || ledger.stopped?.code !== 'no_room' || this.#stopped) return;
    try {
      await probe();
    } catch {
      // As full, or as read-only, as before: that is said already.
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

/** More than fits beside a file's name: a disk may have room for that alone. */
const PROBE_BYTES = 65_536;

/** Writes a file in a folder, durably, and takes it away again. Throws what the system throws. */
export async function probeWrites(folder: string): Promise<void> {
  const path = join(folder, '.probe');
  await writeDurable(path, new Uint8Array(PROBE_BYTES), { mode: 0o600 });
  await rm(path, { force: true });
}
