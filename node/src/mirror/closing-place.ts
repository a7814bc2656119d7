/** Where the closing heads of a log are kept, by the numbers of their checkpoint keys. */
export interface ClosingPlace {
  readonly read: (number: number) => Promise<Uint8Array | undefined>;
  /** Durable when it resolves, as far as the place is. */
  readonly keep: (number: number, note: Uint8Array) => Promise<void>;
}

/** A place that ends with the process. */
export function memoryClosingPlace(): ClosingPlace {
  const notes = new Map<number, Uint8Array>();
  return {
    read: (number) => Promise.resolve(notes.get(number)),
    keep(number, note) {
      notes.set(number, note);
      return Promise.resolve();
    },
  };
}
