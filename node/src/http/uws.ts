/**
 * The only part of uWebSockets.js 20.51 that may be called here: the official typings allow calls
 * that end the process, such as `endWithoutBody` with arguments or a second close of a token.
 */
export interface UwsListenToken {
  readonly __brand: 'listen token';
}

export interface UwsRequest {
  getMethod(): string;
  getUrl(): string;
  /** `undefined`, not empty, where the target has no `?`. */
  getQuery(): string | undefined;
  /** The first of several, and empty where there is none. */
  getHeader(lowerCaseName: string): string;
  forEach(each: (lowerCaseName: string, value: string) => void): void;
}

export interface UwsResponse {
  writeStatus(status: string): void;
  /** Puts both texts on the wire unchecked. */
  writeHeader(name: string, value: string): void;
  /** Chunked; false where bytes wait for the reader. */
  write(chunk: Uint8Array | string): boolean;
  end(body: Uint8Array | string, close: boolean): void;
  /** Takes what the reader takes, and keeps nothing: `[no back-pressure, all sent]`. */
  tryEnd(rest: Uint8Array | string, total: number): readonly [ok: boolean, done: boolean];
  endWithoutBody(): void;
  close(): void;
  /** Reads no more, and sees no client leave: not for a socket that is to call `onWritable`. */
  pause(): void;
  resume(): void;
  cork(work: () => void): void;
  onAborted(handler: () => void): void;
  /** `offset` bytes of the body are out. */
  onWritable(handler: (offset: number) => boolean): void;
  /** The chunk is detached when the handler returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): void;
  /** 4 or 16 bytes; none where the socket is gone. */
  getRemoteAddress(): ArrayBuffer;
}

export interface UwsApp {
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

const PACKAGE: string = 'uWebSockets.js'; // an optional dependency, which brings no typings

/** The library, or `undefined` where no binary of it fits this platform and this Node. */
export async function loadUws(): Promise<Uws | undefined> {
  try {
    const loaded = (await import(PACKAGE)) as { readonly default: Uws };
    loaded.default._cfg('silent');
    return loaded.default;
  } catch {
    return undefined;
  }
}
