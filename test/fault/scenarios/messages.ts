// What a scenario tells the programs on its machines, over IPC, and what they answer.

/** Whom a program is to know of another. */
export interface KnownLog {
  readonly url: string;
  readonly vkey: string;
  readonly logId: string;
}

export interface OpenPublisher {
  readonly kind: 'open';
  readonly data: string;
  readonly origin: string;
  readonly witnessesRequired: number;
}

export interface BeginPublisher {
  readonly kind: 'begin';
  readonly host: string;
  readonly port: number;
  readonly cosigners: readonly { readonly name: string; readonly key: string }[];
  readonly witnesses: readonly { readonly url: string; readonly vkey: string }[];
  /** A port on which words are taken in the publisher's name, and dissents lost; null: an honest one. */
  readonly hidingPort: number | null;
}

export interface OpenRecounter {
  readonly kind: 'open';
  readonly data: string;
  readonly origin: string;
}

export interface BeginRecounter {
  readonly kind: 'begin';
  readonly host: string;
  readonly port: number;
  readonly publisher: KnownLog;
  /** Keys of the publisher's witnesses. */
  readonly witnesses: readonly string[];
  readonly peers: readonly KnownLog[];
  /** Whether its sources say another number than they do to others. */
  readonly lies: boolean;
}

/** Simulated time is the machine's own clock and so many seconds. */
export interface ShiftClock {
  readonly kind: 'shift';
  readonly seconds: number;
}

export type ToPublisher = OpenPublisher | BeginPublisher | ShiftClock;
export type ToRecounter = OpenRecounter | BeginRecounter | ShiftClock;

export type FromMachine =
  | {
      readonly kind: 'opened';
      readonly vkey: string;
      readonly logId: string;
      readonly key: string;
      /** Of a recounter, as a witness. */
      readonly witnessVkey: string | null;
    }
  | { readonly kind: 'begun' }
  | { readonly kind: 'shifted' }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string };
