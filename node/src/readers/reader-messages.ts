import type { Quotas } from '../http/limiter.ts';
import type { TransportChoice } from '../http/server.ts';
import type { ServerOptions } from '../http/transport.ts';
import type { WriterPlace } from './writer-client.ts';

/** What a reader's process is told at its start. It goes over the channel, so no other process sees the token. */
export interface ReaderSetting {
  readonly publisher: WriterPlace;
  /** Where its copy of the log is; null to keep it in memory. */
  readonly folder: string | null;
  readonly vkey: string | null;
  readonly host: string;
  readonly port: number;
  readonly transport: TransportChoice;
  readonly server: ServerOptions;
  readonly quotas: Quotas;
  readonly logLevel: string;
  readonly pollMs: number;
}

export type ToReader =
  | { readonly kind: 'start'; readonly setting: ReaderSetting }
  | { readonly kind: 'stop' };

/** What a reader says of itself once it listens, every second. */
export interface ReaderFigures {
  /** The entries that it shows. */
  readonly size: number;
  /** Seconds since it heard of its publisher. */
  readonly silentS: number;
  /** Requests that it has answered, and those with a status of 500 or more. */
  readonly requests: number;
  readonly failures: number;
  /** Its resident memory. */
  readonly bytes: number;
}

export type FromReader =
  /** It listens to its parent: what was sent before that is lost. */
  | { readonly kind: 'loaded' }
  | { readonly kind: 'listening'; readonly port: number; readonly transport: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | ({ readonly kind: 'figures' } & ReaderFigures);
