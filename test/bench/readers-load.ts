// A load on a server of `readers.ts`, in a process of its own: so many connections, each with one request after the other,
// as fast as they are answered or up to so many a second.
import { connect, type Socket } from 'node:net';
import { setPriority } from 'node:os';

export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly ms: number;
  /** Requests a second of all connections; 0 for as many as are answered. */
  readonly rate: number;
}

export interface LoadWord {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds from a request to the end of its answer: the median and the 99th of a hundred. */
  readonly p50: number;
  readonly p99: number;
  readonly failures: number;
}

/** Below what is measured, so that the load takes what is left. */
const NICE = 5;

/** One connection, which asks again when it has its answer and its turn has come. */
class Connection {
  readonly #order: LoadOrder;
  readonly #socket: Socket;
  readonly #request: string;
  readonly #took: number[];
  #begun = 0;
  #left = -1;
  #head = '';
  failures = 0;

  constructor(order: LoadOrder, took: number[]) {
    this.#order = order;
    this.#took = took;
    this.#request = `GET ${order.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    this.#socket = connect({ host: '127.0.0.1', port: order.port });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => {
      this.failures += 1;
    });
    this.#socket.on('connect', () => this.#ask());
  }

  end(): void {
    this.#socket.destroy();
  }

  #ask(): void {
    this.#begun = performance.now();
    this.#socket.write(this.#request);
  }

  #read(chunk: Buffer): void {
    let rest = chunk.length;
    if (this.#left < 0) {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!this.#head.startsWith('HTTP/1.1 200')) this.failures += 1;
      this.#left = Number(/content-length: (\d+)/i.exec(this.#head)?.[1] ?? 0);
      rest = this.#head.length - end - 4;
      this.#head = '';
    }
    this.#left -= rest;
    if (this.#left > 0) return;
    this.#left = -1;
    const took = performance.now() - this.#begun;
    this.#took.push(took);
    const { rate, connections } = this.#order;
    const wait = rate === 0 ? 0 : (1000 * connections) / rate - took;
    if (wait <= 0) this.#ask();
    else setTimeout(() => this.#ask(), wait * (0.9 + 0.2 * Math.random()));
  }
}

async function load(order: LoadOrder): Promise<LoadWord> {
  const took: number[] = [];
  const began = performance.now();
  const all = Array.from({ length: order.connections }, () => new Connection(order, took));
  await new Promise((resolve) => setTimeout(resolve, order.ms));
  const seconds = (performance.now() - began) / 1000;
  for (const each of all) each.end();
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const failures = all.reduce((sum, each) => sum + each.failures, 0);
  return { requests: sorted.length, seconds, p50: at(0.5), p99: at(0.99), failures };
}

setPriority(NICE);
process.on('disconnect', () => process.exit(0));
process.on('message', (order: LoadOrder) => {
  void load(order).then((word) => process.send?.(word));
});
