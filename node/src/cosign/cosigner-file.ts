import { readFile } from 'node:fs/promises';
import { type CosignerSet, parseCosignerSet } from '@assay/core/report/cosigner-set';
import { Fault, messageOf } from '@assay/core/fault';
import { cosignerSets } from '@assay/core/view/cosigner-sets';
import type { ViewState } from '@assay/core/view/view';
import { type WireValue, wire } from '@assay/core/wire/wire';

/** What an operator writes: a set without its number, with its co-signers in any order. */
export type CosignerChoice = Pick<CosignerSet, 'threshold' | 'cosigners'>;

/** Reads a choice from a JSON file `{ threshold, cosigners: [{ name, key }] }`. Throws `bad_config`. */
export async function readCosignerFile(path: string): Promise<CosignerChoice> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as WireValue;
    const { threshold, cosigners, ...others } = value as unknown as CosignerChoice;
    const sorted = [...cosigners].sort((a, b) => (a.key < b.key ? -1 : 1));
    // The log determines its number.
    if (Object.keys(others).length > 0) throw new TypeError('a member too many');
    const set = wire({ number: 0, threshold, cosigners: sorted });
    return parseCosignerSet(set, 'set');
  } catch (cause) {
    throw new Fault('bad_config', 'co-signer file', {
      at: path,
      expected: '{ threshold, cosigners: [{ name, key }] }',
      found: messageOf(cause),
      cause,
    });
  }
}

/** The set that follows from a choice: the newest of the log if it is the same, otherwise the one after it. */
export function chosenSet(state: ViewState, { threshold, cosigners }: CosignerChoice): CosignerSet {
  const newest = cosignerSets(state).at(-1);
  const number = newest === undefined ? 0 : newest.number + 1;
  if (newest === undefined) return { number, threshold, cosigners };
  const same =
    newest.threshold === threshold &&
    newest.cosigners.length === cosigners.length &&
    newest.cosigners.every(
      ({ name, key }, i) => name === cosigners[i]?.name && key === cosigners[i].key,
    );
  return { number: same ? newest.number : number, threshold, cosigners };
}
