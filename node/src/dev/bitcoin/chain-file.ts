import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Fault } from '@assay/core/fault';

/** What happened to a development chain, one line of JSON each. */
export type ChainEvent =
  /** A calendar took a commitment, in hex. */
  | { readonly add: string; readonly commitment: string }
  /** A block over all that waited: its header in hex. */
  | { readonly block: string }
  /** The newest blocks were given up. */
  | { readonly drop: number };

/** An append-only file of events. A last line that was not finished is cut off. */
export class ChainFile {
  /** What the file held when it was opened. */
  readonly events: readonly ChainEvent[];
  #file: number | undefined;

  /** Opens the file, and makes it where it is missing. Throws `malformed` for a line that is none. */
  constructor(path: string) {
    const file = openSync(path, 'a+', 0o644);
    try {
      const bytes = readFileSync(path);
      const whole = bytes.lastIndexOf(0x0a) + 1;
      const lines = bytes.subarray(0, whole).toString('utf8').split('\n').slice(0, -1);
      this.events = lines.map((line, i) => parseEvent(line, `line ${i + 1}`));
      if (whole < bytes.length) ftruncateSync(file, whole);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    this.#file = file;
  }

  /** Writes events in one piece, before anyone hears of them. */
  append(events: readonly ChainEvent[]): void {
    if (this.#file === undefined) throw new TypeError('ChainFile: it is closed');
    const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    for (let done = 0; done < bytes.length;) done += writeSync(this.#file, bytes, done);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

function parseEvent(line: string, at: string): ChainEvent {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // Falls through: the words of the parser quote the line.
  }
  if (typeof value === 'object' && value !== null) {
    const { add, commitment, block, drop } = value as Readonly<Record<string, unknown>>;
    if (typeof add === 'string' && typeof commitment === 'string') return { add, commitment };
    if (typeof block === 'string') return { block };
    if (typeof drop === 'number') return { drop };
  }
  throw new Fault('malformed', 'development chain', { at, expected: 'an event' });
}
