import type { HashHex } from '@assay/core/hash/hash';
import { checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import type { Ledger } from '@assay/node/ledger/ledger';
import type { LedgerOptions } from '@assay/node/ledger/ledger-options';
import { TermSigner } from '@assay/node/ledger/term-signer';
import { memoryClosingPlace } from '@assay/node/mirror/closing-place';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CHECKPOINTS, ORIGIN } from '../ledger/ledger-fixture.ts';
import { checkpointKey, keyBody, promiseBody } from './checkpoint-bodies.ts';

/** What a ledger is opened with whose checkpoint key changes while it runs, with three keys at hand. */
export class ChangingKeys {
  readonly closing = memoryClosingPlace();
  readonly options: Pick<LedgerOptions, 'signer' | 'closing'> = {
    closing: this.closing,
    signer: new TermSigner({
      sha256: nodeSha256,
      origin: ORIGIN,
      terms: [
        {
          number: 0,
          vkey: CHECKPOINTS.vkey,
          seq: 0,
          cause: 'genesis',
          above: 0,
          last_size: null,
          promised_by: null,
        },
      ],
      keys: [0, 1, 2].map((number) => checkpointSigner(nodeSha256, ORIGIN, checkpointKey(number))),
      closingHead: (number) => this.closing.read(number),
    }),
  };
  #recoveries = 1;

  async promise(ledger: Ledger): Promise<void> {
    await ledger.write(() => [{ kind: 'key/2', body: promiseBody(ledger.log as HashHex) }]);
  }

  /** Brings the next key, and keeps the closing head of the one before. */
  async change(ledger: Ledger, cause: 'rotation' | 'recovery'): Promise<void> {
    const number = checkpointTerms(ledger.tip).length;
    const [log, seq, recoveries] = [ledger.log as HashHex, ledger.nextSeq, this.#recoveries];
    const before = ledger.published?.note;
    const body = keyBody({ log, seq, number, recoveries }, cause);
    await ledger.write(() => [{ kind: 'key/2', body }]);
    const note = cause === 'rotation' ? ledger.published?.note : before;
    await this.closing.keep(number - 1, note as Uint8Array);
    if (cause === 'recovery') this.#recoveries += 1;
  }
}
