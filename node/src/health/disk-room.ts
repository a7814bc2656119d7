import { Fault } from '@assay/core/fault';
import type { Concern } from './concern.ts';
import type { FreeSpace } from '../platform/free-space.ts';

/** How many bytes must be free on a disk. */
export interface RoomLimits {
  /** Below this somebody should look at it: degraded. */
  readonly lowBytes: number;
  /**
   * Below this nothing is begun, so that what is under way, and the database's own work, can be finished.
   * LevelDB may hold 16 MiB of commits in its log, write them to a table, and rewrite 50 MiB of tables at the
   * same time.
   */
  readonly reserveBytes: number;
}

export const ROOM_LIMITS: RoomLimits = {
  lowBytes: 1024 ** 3,
  reserveBytes: 256 * 1024 ** 2,
};

/**
 * The same as numbers of files, each of which needs an inode. A commit of LevelDB makes a few, and a round some
 * dozens.
 */
const LOW_FILES = 10_000;
const RESERVE_FILES = 1_000;

export interface DiskRoomParts {
  readonly measure: () => Promise<FreeSpace>;
  readonly limits: RoomLimits;
  /** Called once for each kind of failure to measure. */
  readonly onFailed: (error: unknown) => void;
}

/** Work that waits until others have returned what they claimed. */
interface Waiting {
  readonly bytes: number;
  readonly resolve: () => void;
}

/**
 * The free space on a node's disk. Work claims the most that it may write before it begins, so that what was
 * begun can be finished. Claims that would not fit together are granted one after the other.
 */
export class DiskRoom {
  readonly #parts: DiskRoomParts;
  #free: FreeSpace | undefined;
  #failing = false;
  #claimed = 0;
  #waiting: Waiting[] = [];
  /** Work that was refused when it last asked, and what it asked for. */
  readonly #refused = new Map<string, number>();

  constructor(parts: DiskRoomParts) {
    this.#parts = parts;
  }

  /** The last measurement; undefined before the first, and if it cannot be measured. */
  get free(): FreeSpace | undefined {
    return this.#free;
  }

  /** Measures the free space. Never throws: if it fails, nothing is known, and nothing is refused. */
  async measure(): Promise<void> {
    try {
      this.#free = await this.#parts.measure();
      this.#failing = false;
    } catch (error) {
      this.#free = undefined;
      if (!this.#failing) this.#parts.onFailed(error);
      this.#failing = true;
    }
    this.#admit();
  }

  /** Why nothing may be begun; undefined if it may. */
  get shortage(): Fault | undefined {
    const { reserveBytes } = this.#parts.limits;
    const { bytes, files } = this.#free ?? { bytes: Number.POSITIVE_INFINITY, files: undefined };
    if (bytes < reserveBytes) {
      return new Fault('no_room', 'disk', {
        expected: `${megabytes(reserveBytes)} that are free`,
        found: megabytes(bytes),
      });
    }
    if (files !== undefined && files < RESERVE_FILES) {
      return new Fault('no_room', 'disk', {
        expected: `room for ${RESERVE_FILES} files`,
        found: `${files}`,
      });
    }
    return undefined;
  }

  /**
   * Claims `bytes` for `what`, in addition to the reserve, and returns a function that returns them. Waits if
   * they are only claimed by others. Throws `no_room` if the disk has less, or is measured to have less
   * meanwhile.
   */
  async claim(what: string, bytes: number): Promise<() => void> {
    await this.measure();
    while (this.#require(what, bytes) && !this.#fits(bytes)) {
      await new Promise<void>((resolve) => this.#waiting.push({ bytes, resolve }));
      await this.measure();
    }
    this.#claimed += bytes;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      this.#claimed -= bytes;
      this.#admit();
    };
  }

  /** What is wrong, for readers. */
  concerns(): readonly Concern[] {
    const { lowBytes, reserveBytes } = this.#parts.limits;
    const free = this.#free;
    if (free === undefined) {
      return this.#failing ? [concern('The room on the disk cannot be measured.')] : [];
    }
    const left = `The disk has about ${megabytes(coarse(free.bytes))} left`;
    const concerns: Concern[] = [];
    if (free.bytes < reserveBytes) {
      concerns.push(concern(`${left}: nothing new is begun below ${megabytes(reserveBytes)}.`));
    } else if (free.bytes < lowBytes) {
      concerns.push(concern(`${left}, which is less than ${megabytes(lowBytes)}.`));
    }
    for (const [what, bytes] of this.#refused) {
      if (free.bytes >= reserveBytes && free.bytes < reserveBytes + bytes) {
        const need = `it may need ${megabytes(bytes)} in addition to ${megabytes(reserveBytes)} in reserve`;
        concerns.push(concern(`${left}: ${what} is not begun, for ${need}.`));
      }
    }
    if (free.files !== undefined && free.files < LOW_FILES) {
      const more =
        free.files < RESERVE_FILES ? `: nothing new is begun below ${RESERVE_FILES}` : '';
      concerns.push(concern(`The disk has room for about ${coarse(free.files)} files${more}.`));
    }
    return concerns;
  }

  /** Returns true, or throws why there would be no space even if nothing else were under way. */
  #require(what: string, bytes: number): true {
    const fault = this.shortage ?? this.#lack(what, bytes);
    if (fault === undefined) {
      this.#refused.delete(what);
      return true;
    }
    this.#refused.set(what, bytes);
    throw fault;
  }

  #lack(what: string, bytes: number): Fault | undefined {
    const free = this.#free?.bytes ?? Number.POSITIVE_INFINITY;
    const { reserveBytes } = this.#parts.limits;
    if (free >= reserveBytes + bytes) return undefined;
    return new Fault('no_room', 'disk', {
      at: what,
      expected: `${megabytes(reserveBytes + bytes)} that are free`,
      found: megabytes(free),
    });
  }

  #fits(bytes: number): boolean {
    // What was claimed may have been written already and is then counted twice, which is the safe side.
    const free = this.#free?.bytes ?? Number.POSITIVE_INFINITY;
    return free >= this.#parts.limits.reserveBytes + this.#claimed + bytes;
  }

  /** Wakes whoever waits. Each checks for itself whether there is space. */
  #admit(): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ bytes }) => this.#claimed > 0 && !this.#fits(bytes));
    for (const each of waiting) if (!this.#waiting.includes(each)) each.resolve();
  }
}

function concern(reason: string): Concern {
  return { level: 'degraded', reason };
}

/** One digit, rounded down. A text that changed with every byte would be logged anew each time. */
function coarse(count: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))));
  return Math.floor(count / unit) * unit;
}

/** Whole megabytes, rounded down. */
function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
