import { connect, type Socket } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** How long a test waits for bytes before it says what it has. */
const PATIENCE_MS = 60_000;

/** A client that sees the bytes: it sends what no HTTP library would, and reads replies in order. */
export class RawClient {
  readonly socket: Socket;
  /** Why the connection broke, where it did: a reset, or bytes that were not taken. */
  failure: Error | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake?.();
    });
    socket.on('error', (error) => {
      this.failure = error;
    });
    socket.on('close', () => {
      this.#closed = true;
      this.#wake?.();
    });
  }

  static async connect(port: number, localAddress = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new RawClient(socket);
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** A request without a body. */
  ask(method: string, target: string, headers: readonly string[] = []): void {
    const lines = [`${method} ${target} HTTP/1.1`, 'Host: test', ...headers, '', ''];
    this.send(lines.join('\r\n'));
  }

  /** The next reply to a request of `method`, or `undefined` where the connection ended first. */
  async reply(method = 'GET'): Promise<RawReply | undefined> {
    const end = await this.#until(() => {
      const at = this.#bytes.indexOf('\r\n\r\n');
      return at < 0 ? undefined : at;
    });
    if (end === undefined) return undefined;
    const [first = '', ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n');
    this.#bytes = this.#bytes.subarray(end + 4);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    const status = Number(first.split(' ')[1]);
    const body = await this.#body(method, status, headers);
    return body === undefined ? undefined : { status, headers, body };
  }

  /** Whether the server ends the connection; what it still sends is left for `reply`. */
  async ends(): Promise<boolean> {
    const closed = await this.#until(() => (this.#closed ? true : undefined));
    return closed === true;
  }

  close(): void {
    this.socket.destroy();
  }

  async #body(
    method: string,
    status: number,
    headers: ReadonlyMap<string, string>,
  ): Promise<Buffer | undefined> {
    if (method === 'HEAD' || status === 204 || status === 304) return Buffer.alloc(0);
    if (headers.get('transfer-encoding') === 'chunked') return this.#chunks();
    const length = headers.get('content-length');
    if (length !== undefined) return this.#take(Number(length));
    await this.ends();
    return this.#take(this.#bytes.length);
  }

  async #chunks(): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (;;) {
      const end = await this.#until(() => {
        const at = this.#bytes.indexOf('\r\n');
        return at < 0 ? undefined : at;
      });
      if (end === undefined) return undefined;
      const size = Number.parseInt(this.#bytes.toString('latin1', 0, end), 16);
      this.#bytes = this.#bytes.subarray(end + 2);
      const part = await this.#take(size + 2);
      if (part === undefined) return undefined;
      if (size === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, size));
    }
  }

  async #take(size: number): Promise<Buffer | undefined> {
    const ready = await this.#until(() => (this.#bytes.length >= size ? true : undefined));
    if (ready === undefined) return undefined;
    const part = this.#bytes.subarray(0, size);
    this.#bytes = this.#bytes.subarray(size);
    return part;
  }

  async #until<T>(look: () => T | undefined): Promise<T | undefined> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.#closed) return undefined;
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`nothing came, only: ${this.#bytes.toString('latin1', 0, 200)}`);
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, left);
      });
      clearTimeout(timer);
    }
  }
}
