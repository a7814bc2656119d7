import type { Server } from 'node:http';

/** The only part of ws 8 that is used here; the package has no types. */
export interface WsSocket {
  readonly bufferedAmount: number;
  send(text: string): void;
  terminate(): void;
  on(event: 'message', listener: (data: Uint8Array, isBinary: boolean) => void): void;
  on(event: 'close', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
}

export interface WsServer {
  readonly clients: ReadonlySet<WsSocket>;
  on(event: 'connection', listener: (socket: WsSocket) => void): void;
  /** A failure of the underlying server, such as not being able to accept another connection. */
  on(event: 'error', listener: (error: Error) => void): void;
  close(): void;
}

export interface WsServerOptions {
  readonly server: Server;
  readonly maxPayload: number;
  readonly perMessageDeflate: false;
}

const PACKAGE: string = 'ws';

/** A WebSocket server (RFC 6455) on top of an HTTP server of Node. */
export async function webSocketServer(options: WsServerOptions): Promise<WsServer> {
  const { WebSocketServer } = (await import(PACKAGE)) as {
    readonly WebSocketServer: new (options: WsServerOptions) => WsServer;
  };
  return new WebSocketServer(options);
}
