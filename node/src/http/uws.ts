import { createRequire } from 'node:module';
import { loadBinary } from './native-binary.ts';
import { MAX_HEAD } from './transport.ts';

/**
 * The only part of uWebSockets.js 20.51 that may be used here. The official types allow calls that end the
 * process, such as `endWithoutBody` with arguments or closing a token twice.
 */
export interface UwsListenToken {
  readonly __brand: 'listen token';
}

export interface UwsRequest {
  getMethod(): string;
  getUrl(): string;
  /** `undefined`, and not empty, if the target has no `?`. */
  getQuery(): string | undefined;
  /** The first of several, and empty if there is none. */
  getHeader(lowerCaseName: ArrayBuffer): string;
  forEach(each: (lowerCaseName: string, value: string) => void): void;
}

export interface UwsResponse {
  writeStatus(status: string): void;
  /** Sends both texts unchecked. Bytes cost it less than a text, which it has to encode. */
  writeHeader(name: string | ArrayBuffer, value: string | Uint8Array): void;
  /** Chunked. Returns false if bytes wait for the reader. */
  write(chunk: Uint8Array | string): boolean;
  end(body: Uint8Array | string, close: boolean): void;
  /** Takes what the reader takes, and buffers nothing: `[no back-pressure, all sent]`. */
  tryEnd(rest: Uint8Array | string, total: number): readonly [ok: boolean, done: boolean];
  endWithoutBody(): void;
  close(): void;
  /**
   * Stops reading, and does not notice that the client leaves. It must not be used for a socket that has to
   * call `onWritable`.
   */
  pause(): void;
  resume(): void;
  cork(work: () => void): void;
  onAborted(handler: () => void): void;
  /** `offset` is the number of bytes of the body that are out. */
  onWritable(handler: (offset: number) => boolean): void;
  /** The chunk is detached when the handler returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): void;
  /** 4 or 16 bytes; empty if the socket is closed. */
  getRemoteAddress(): ArrayBuffer;
}

export interface UwsApp {
  /** Its requests do not come to the handler of `any`. */
  get(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): UwsApp;
  listen(
    host: string,
    port: number,
    options: number,
    done: (token: UwsListenToken | false) => void,
  ): UwsApp;
  close(): void;
}

export interface Uws {
  App(): UwsApp;
  us_listen_socket_close(token: UwsListenToken): void;
  us_socket_local_port(token: UwsListenToken): number;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  _cfg(key: 'silent'): void;
}

/** An addon for one major version of Node, on Linux x64 with glibc. */
interface UwsBinary {
  /** The path in its package, an optional dependency without types, whose one line of JavaScript is not run. */
  readonly path: string;
  /** The SHA-256 of the only bytes that may be loaded. */
  readonly sha256: string;
}

/** The binary for each major version of Node that has one, in the versions that `package.json` pins. */
export const UWS_BINARIES: ReadonlyMap<string, UwsBinary> = new Map([
  [
    '20',
    {
      path: 'uWebSockets.js/uws.node',
      sha256: '4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89',
    },
  ],
  [
    '22',
    {
      path: 'uWebSockets.js-22/uws.node',
      sha256: 'f687e7c3666b5cca9d355184bbf07bb0550f5ba0d3ffd453248ccfec552dde6c',
    },
  ],
]);

/** The binary for the current Node, if there is one. */
export function uwsBinary(): UwsBinary | undefined {
  return UWS_BINARIES.get(process.versions.node.split('.', 1)[0] ?? '');
}

let loading: Promise<Uws | undefined> | undefined;

/**
 * The library, or `undefined` if it has no binary for this platform and this Node. Throws `binary_differs` for
 * one that differs from the one in `UWS_BINARIES`.
 */
export function loadUws(): Promise<Uws | undefined> {
  // A process loads an addon once.
  loading ??= load();
  return loading;
}

async function load(): Promise<Uws | undefined> {
  const binary = uwsBinary();
  if (binary === undefined) return undefined;
  // The library reads this once, when it is loaded. Without it, a head of 4 KiB is refused or not, depending on how
  // it is cut into packets.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] = String(MAX_HEAD);
  let path: string;
  try {
    path = createRequire(import.meta.url).resolve(binary.path);
  } catch {
    return undefined;
  }
  const uws = (await loadBinary(path, new Set([binary.sha256]))) as Uws | undefined;
  uws?._cfg('silent');
  return uws;
}
