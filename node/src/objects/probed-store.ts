import { faultCode } from '@assay/core/fault';
import type { ObjectStore } from './object-store.ts';
import { probeConditions } from './probe.ts';

/**
 * A store that is written to only after it has passed the probe. The first write waits for the probe, and one that
 * could not be finished is made again before the next write. A store that has failed it once is refused for good.
 */
export class ProbedStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly #probe: (store: ObjectStore) => Promise<void>;
  #probed: Promise<void> | undefined;

  constructor(store: ObjectStore, probe: (store: ObjectStore) => Promise<void> = probeConditions) {
    this.#store = store;
    this.#probe = probe;
  }

  readonly put: ObjectStore['put'] = async (path, object, condition) => {
    await this.probed();
    return this.#store.put(path, object, condition);
  };

  readonly read: ObjectStore['read'] = (path, maxBytes) => this.#store.read(path, maxBytes);

  readonly remove: ObjectStore['remove'] = async (path) => {
    await this.probed();
    await this.#store.remove(path);
  };

  /** Resolves once the probe has been passed. Throws what the probe throws. */
  probed(): Promise<void> {
    this.#probed ??= this.#probe(this.#store).catch((error: unknown) => {
      if (faultCode(error) !== 'objects_unsafe') this.#probed = undefined;
      throw error;
    });
    return this.#probed;
  }
}
