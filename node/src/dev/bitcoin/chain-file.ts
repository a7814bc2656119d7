import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { Fault } from '@assay/core/fault';

/** The events of a development chain, each a line of JSON. */
export type ChainEvent =
  /** A calendar submitted a commitment, in hex. */
  | { readonly add: string; readonly commitment: string }
  /** A block over everything that was waiting: its header in hex. */
  | { readonly block: string }
  /** The newest blocks were dropped. */
  | { readonly drop: number };

/** An append-only file of events. A last line that is incomplete is removed. */
export class ChainFile {
  /** The events in the file when it was opened. */
  readonly events: readonly ChainEvent[];
  #file: number | undefined;

  /** Opens the file, and creates it if it is missing. Throws `malformed` for an invalid line. */
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

  /** Writes events in one piece, before anybody is notified of them. */
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
    // Falls through, because the message of the parser quotes the line.
  }
  if (typeof value === 'object' && value !== null) {
    const { add, commitment, block, drop } = value as Readonly<Record<string, unknown>>;
    if (typeof add === 'string' && typeof commitment === 'string') return { add, commitment };
    if (typeof block === 'string') return { block };
    if (typeof drop === 'number') return { drop };
  }
  throw new Fault('malformed', 'development chain', { at, expected: 'an event' });
}
