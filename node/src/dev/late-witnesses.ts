import { Fault } from '@assay/core/fault';
import type { Concern } from '../health/concern.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { WitnessStage } from '../ledger/witness-stage.ts';
import type { NodeWitnesses } from '../node.ts';
import type { Gathering } from '../witness/client/gathering.ts';

/**
 * Witnesses that are known only after their log has been opened, because they are started together with it. No
 * line is required: heads are shown at once, and none has a line before `begin`.
 */
export class LateWitnesses implements NodeWitnesses {
  readonly required = 0;
  #ledger: Ledger | undefined;
  #onHead: Parameters<NonNullable<WitnessStage['watch']>>[0] | undefined;
  #gathering: Gathering | undefined;

  /** Throws `unreachable` before `begin`, and what `Gathering.gather` throws. */
  readonly gather: WitnessStage['gather'] = (note, size, root, consistency) => {
    if (this.#gathering !== undefined) {
      return this.#gathering.gather(note, size, root, consistency);
    }
    return Promise.reject(new Fault('unreachable', 'witnesses', { found: 'none yet' }));
  };

  readonly watch: NonNullable<WitnessStage['watch']> = (onHead) => {
    this.#onHead = onHead;
  };

  follow(ledger: Ledger): void {
    this.#ledger = ledger;
  }

  /**
   * Asks them from now on. Resolves when they were asked about the newest head. It must be called after
   * `follow`.
   */
  async begin(gathering: Gathering): Promise<void> {
    if (this.#ledger === undefined) throw new TypeError('LateWitnesses: no log is followed');
    if (this.#onHead !== undefined) gathering.watch(this.#onHead);
    gathering.follow(this.#ledger);
    this.#gathering = gathering;
    await gathering.poll();
  }

  concerns(): readonly Concern[] {
    return this.#gathering?.concerns() ?? [];
  }

  async stop(): Promise<void> {
    await this.#gathering?.stop();
  }
}
