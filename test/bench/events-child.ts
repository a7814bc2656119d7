// Readers of a stream in a process of their own: it opens connections, and tells each time that all of them have an event more.
import { connect } from 'node:net';

/** What the parent says: so many connections to a port, with these bytes sent first. */
export interface Readers {
  readonly port: number;
  readonly count: number;
  readonly request: string;
  /** A byte that each event has once, and nothing else of the stream. */
  readonly mark: string;
}

process.on('message', ({ port, count, request, mark }: Readers) => {
  const byte = mark.charCodeAt(0);
  let events = 0;
  let told = 0;
  let open = 0;
  /** When the first reader got what not all have. */
  let first: number | undefined;
  for (let i = 0; i < count; i += 1) {
    let greeted = false;
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.on('data', (chunk) => {
      if (!greeted) {
        greeted = true;
        open += 1;
        if (open === count) process.send?.({ open });
      }
      for (let at = chunk.indexOf(byte); at >= 0; at = chunk.indexOf(byte, at + 1)) events += 1;
      if (events > told * count) first ??= Number(process.hrtime.bigint()) / 1e6;
      const whole = Math.floor(events / count);
      if (whole === told) return;
      told = whole;
      process.send?.({ whole, first });
      first = undefined;
    });
  }
});
