import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { Tier } from './open-tier.ts';

/** A tier as a part of a node: its payments are compared with the chain while it runs, and what is under way ends before its store closes. */
export function tierService({ engine, reconciliation, store }: Tier): Service {
  return {
    // Requests end first.
    stops: 'after',
    start: () => reconciliation.start(),
    async stop() {
      await reconciliation.stop();
      await engine.drain();
      await store.close();
    },
    concerns: (): readonly Concern[] => [...engine.concerns(), ...reconciliation.concerns()],
  };
}
