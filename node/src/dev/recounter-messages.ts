import type { Polled } from '../recounter/recounter-parts.ts';

/** The settings of a recounter of the demo: the one argument of its process, as JSON. */
export interface RecounterSetting {
  /** `recounter-1` and so on. */
  readonly name: string;
  /** The host and path that name its own log. */
  readonly origin: string;
  /** Folder of its data. */
  readonly data: string;
  /** The clock of the network (`clock-file.ts`). */
  readonly clock: string;
  /** The display names of all indexes. */
  readonly indices: readonly string[] | null;
  readonly logLevel: string;
  readonly requestsPerMinute: number;
}

/** The address and keys of a log. */
export interface PublisherAddress {
  readonly url: string;
  readonly vkey: string;
  readonly logId: string;
}

/** What the demo sends to a recounter. */
export type ToRecounter =
  | {
      readonly kind: 'begin';
      readonly publisher: PublisherAddress;
      /** The other recounters. An address may come later. */
      readonly peers: readonly (Omit<PublisherAddress, 'url'> & { readonly name: string })[];
      readonly host: string;
      /** 0 takes any free one. */
      readonly port: number;
    }
  | { readonly kind: 'peer'; readonly name: string; readonly url: string }
  | { readonly kind: 'follow' }
  | { readonly kind: 'close' };

/** What a recounter sends to the demo. */
export type FromRecounter =
  | {
      readonly kind: 'opened';
      /** The key of its statements, in hex. */
      readonly key: string;
      readonly vkey: string;
      readonly logId: string;
    }
  | { readonly kind: 'begun'; readonly port: number; readonly witnessVkey: string | null }
  | { readonly kind: 'followed'; readonly looked: Polled }
  | { readonly kind: 'failed'; readonly reason: string };
