import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { equalBytes } from '@assay/core/bytes/bytes';
import type { Clock } from '../platform/clock.ts';
import { clockAt, type ClockState } from './development-clock.ts';

/**
 * A development clock that several processes read. At its speed, a message between them would arrive minutes
 * late.
 *
 *      0  32  base, startedMs (NaN while it is stopped), speed and until, float64 little endian
 *      32  32  the same once more: a reader that finds them different reads again, because a write was under
 *      way
 */
const HALF_BYTES = 32;

/** Writes each state of a clock to a file for `readClockFile`. */
export class ClockFile {
  readonly #file: number;
  #closed = false;

  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600);
  }

  /** Writes nothing once it is closed, because the number of its file may belong to another file by then. */
  readonly write = ({ base, startedMs, speed, until }: ClockState): void => {
    if (this.#closed) return;
    const bytes = new Uint8Array(2 * HALF_BYTES);
    const view = new DataView(bytes.buffer);
    for (const at of [0, HALF_BYTES]) {
      view.setFloat64(at, base, true);
      view.setFloat64(at + 8, startedMs ?? Number.NaN, true);
      view.setFloat64(at + 16, speed, true);
      view.setFloat64(at + 24, until, true);
    }
    writeSync(this.#file, bytes, 0, bytes.length, 0);
  };

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#file);
  }
}

/** The clock in a file that another process of this machine writes. `realMs` must be that of the writer. */
export function readClockFile(path: string, realMs: () => number): Clock {
  const file = openSync(path, 'r');
  const bytes = new Uint8Array(2 * HALF_BYTES);
  const view = new DataView(bytes.buffer);
  return () => {
    do {
      readSync(file, bytes, 0, bytes.length, 0);
    } while (!equalBytes(bytes.subarray(0, HALF_BYTES), bytes.subarray(HALF_BYTES)));
    const startedMs = view.getFloat64(8, true);
    const state: ClockState = {
      base: view.getFloat64(0, true),
      startedMs: Number.isNaN(startedMs) ? undefined : startedMs,
      speed: view.getFloat64(16, true),
      until: view.getFloat64(24, true),
    };
    return Math.floor(clockAt(state, realMs));
  };
}

/** Milliseconds of a clock that all processes of a machine share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
