import { concatBytes } from '@assay/core/bytes/bytes';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';

/** An event of a stream, or a comment, which says only that the stream goes on. */
export interface EventMessage {
  /** Empty for a comment. */
  readonly event: string;
  readonly data: string;
  /** The id of this event; undefined where it has none of its own. */
  readonly id: string | undefined;
  /** Milliseconds after which a client that was cut off is to come back, where the stream has said so before this event. */
  readonly retryMs: number | undefined;
}

/** Bytes of one event at most. An entry is at most 1 MiB, and its text in text at most six times that. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;

const [LF, CR] = [0x0a, 0x0d];

/**
 * Server-Sent Events from bytes, in pieces as they come (WHATWG HTML, 9.2.6). Lines end by LF, CR, or both. An event
 * that the stream does not end is not there. `push` throws `bad_utf8`, and `too_large` beyond 8 MiB without an end.
 */
export class EventParser {
  #parts: Uint8Array[] = [];
  /** The bytes of the event so far. */
  #size = 0;
  #afterCr = false;
  #isFirst = true;
  #event = '';
  #data: string[] = [];
  #id: string | undefined;
  #retryMs: number | undefined;

  push(piece: Uint8Array): EventMessage[] {
    const messages: EventMessage[] = [];
    let start = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at];
      // The second half of a line end whose first half ended the line.
      const isRest = byte === LF && this.#afterCr;
      this.#afterCr = byte === CR;
      if (byte !== LF && byte !== CR) continue;
      if (!isRest) {
        this.#add(piece.subarray(start, at));
        const bytes = this.#take();
        const message = this.#line(parseUtf8(bytes));
        if (message?.event === '') this.#size -= bytes.length;
        if (message !== undefined) messages.push(message);
      }
      start = at + 1;
    }
    this.#add(piece.slice(start));
    return messages;
  }

  #add(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#size > MAX_EVENT_BYTES) {
      throw new Fault('too_large', 'event', { expected: `${MAX_EVENT_BYTES} bytes at most` });
    }
    if (part.length > 0) this.#parts.push(part);
  }

  #take(): Uint8Array {
    const [only] = this.#parts;
    const line =
      this.#parts.length === 1 && only !== undefined ? only : concatBytes(...this.#parts);
    this.#parts = [];
    return line;
  }

  #line(given: string): EventMessage | undefined {
    const line = this.#isFirst && given.startsWith('\uFEFF') ? given.slice(1) : given;
    this.#isFirst = false;
    if (line === '') return this.#end();
    const colon = line.indexOf(':');
    if (colon === 0) return this.#message('', '');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^[0-9]{1,9}$/.test(value)) this.#retryMs = Number(value);
    return undefined;
  }

  #end(): EventMessage | undefined {
    const [event, data] = [this.#event, this.#data];
    this.#event = '';
    this.#data = [];
    this.#size = 0;
    if (data.length === 0) return undefined;
    const message = this.#message(event === '' ? 'message' : event, data.join('\n'), this.#id);
    this.#id = undefined;
    return message;
  }

  #message(event: string, data: string, id?: string): EventMessage {
    return { event, data, id, retryMs: this.#retryMs };
  }
}
