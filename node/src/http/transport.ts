import type { TrustedProxies } from './address.ts';

export type TransportName = 'uWebSockets.js' | 'node:http';

/**
 * The most bytes of a request's head, on either transport: a target of 8,000 bytes (RFC 9110, 4.1) and as many of
 * headers.
 */
export const MAX_HEAD: number = 16 * 1024;

export interface ServerLimits {
  /** The most bytes of a request body. */
  readonly maxBody: number;
  /** How many bytes of a refused body are read and discarded, so that its sender sees the refusal. */
  readonly maxDiscard: number;
  /** Milliseconds from the head of a request to the end of its body. */
  readonly bodyMs: number;
  /** Milliseconds in which a reader of a large body or a stream takes nothing before it is disconnected. */
  readonly stallMs: number;
  /**
   * Milliseconds that a closing server waits for what is in flight: half of what Docker gives a process to end.
   */
  readonly drainMs: number;
}

export const SERVER_LIMITS: ServerLimits = {
  maxBody: 64 * 1024,
  maxDiscard: 16 * 1024 * 1024,
  bodyMs: 10_000,
  stallMs: 30_000,
  drainMs: 5_000,
};

export interface ServerOptions extends Partial<ServerLimits> {
  readonly trustedProxies?: TrustedProxies;
}

export interface ListenAddress {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /**
   * Whether other processes of this machine listen there too, so that the kernel deals out the connections: with
   * uWebSockets.js by SO_REUSEPORT, which Linux has, and with node:http among the workers of a cluster.
   */
  readonly isShared?: boolean;
}

export interface Listening {
  readonly transport: TransportName;
  readonly port: number;
  /** The number of requests whose answer is not complete. */
  inFlight(): number;
  /**
   * Accepts no more connections, lets what is in flight end, and then closes what is left. The second call gets
   * the first one's promise.
   */
  close(): Promise<void>;
}

export interface HttpServer {
  readonly transport: TransportName;
  /** Throws `bad_config` if the address cannot be used. */
  listen(address: ListenAddress): Promise<Listening>;
}
