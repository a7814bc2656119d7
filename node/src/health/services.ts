import type { Concern } from './concern.ts';

/**
 * A long-running part of a node. What it does not need it leaves out: a watch that only reports has `concerns` alone.
 */
export interface Service {
  /**
   * When it starts: as soon as requests are answered, or once the entries have been read again. By default it
   * starts after what the configuration requires has been done.
   */
  readonly startsWhen?: Phase;
  /**
   * Before the others, one after the other, or after all of them. By default, at the same time as the others.
   */
  readonly stops?: 'before' | 'after';
  /** Begins to work and returns at once. It is not called again. */
  start?(): void;
  /** Ends its work and waits until it has ended. It may be called without a start. */
  stop?(): Promise<void> | void;
  /** What is wrong with it, for readers; empty if all is well. */
  concerns?(): readonly Concern[];
}

/** A node first listens, then its entries are proven, then it is ready. */
export type Phase = 'listening' | 'proven' | 'ready';

/** The long-running parts of a node, in the order in which they start and in which their concerns are listed. */
export class Services {
  readonly #services: readonly Service[];
  #stopped: Promise<void> | undefined;

  /** Parts that a node does not have are left out. */
  constructor(services: readonly (Service | undefined)[]) {
    this.#services = services.filter((each) => each !== undefined);
  }

  /** Starts the parts of a phase; none once they are stopped. */
  start(phase: Phase): void {
    if (this.#stopped !== undefined) return;
    for (const each of this.#services) if ((each.startsWhen ?? 'ready') === phase) each.start?.();
  }

  /**
   * Stops all parts, whether or not they were started, also behind one that cannot be stopped; the first error is thrown
   * at the end. A second call waits for the first.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  /** Whether they are stopping or have stopped. */
  get stopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** What is wrong, in the order of the parts. */
  readonly concerns = (): readonly Concern[] =>
    this.#services.flatMap((each) => each.concerns?.() ?? []);

  async #stop(): Promise<void> {
    const of = (when: Service['stops']): readonly Service[] =>
      this.#services.filter(({ stops }) => stops === when);
    const errors: unknown[] = [];
    const stop = async (each: Service): Promise<void> => {
      try {
        await each.stop?.();
      } catch (error) {
        errors.push(error);
      }
    };
    for (const each of of('before')) await stop(each);
    // Slow readers and work that is under way need not wait for each other.
    await Promise.all(of(undefined).map(stop));
    for (const each of of('after')) await stop(each);
    if (errors.length > 0) throw errors[0];
  }
}
