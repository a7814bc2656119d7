import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { Genesis, Policies } from '@assay/core/kind/genesis';
import { networkOf } from '@assay/core/network';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** The keys that a log begins with. The last two are only committed to, and stored for later. */
export interface GenesisKeys {
  readonly report: Signer;
  readonly nextReport: Pick<Signer, 'publicKey'>;
  readonly recovery: Pick<Signer, 'publicKey'>;
}

export interface GenesisChoices {
  readonly origin: string;
  readonly checkpointVkey: string;
  readonly chain: string | null;
  readonly program: string | null;
  readonly policies: Policies;
}

/** The contents of entry 0. */
export function genesisOf(sha256: Sha256, keys: GenesisKeys, choices: GenesisChoices): Genesis {
  const keyHash = ({ publicKey }: { readonly publicKey: Uint8Array }): HashHex =>
    hashHex(contentHash(sha256, publicKey));
  return {
    origin: choices.origin,
    network: networkOf(choices.origin),
    report_key: formatHex(keys.report.publicKey),
    checkpoint_vkey: choices.checkpointVkey,
    next_report_key_sha256: keyHash(keys.nextReport),
    recovery_key_sha256: keyHash(keys.recovery),
    chain: choices.chain,
    program: choices.program,
    policies: choices.policies,
  };
}

/** Appends entry 0, whose leaf hash is the log's id from then on. Throws `wrong_head` if there is one. */
export async function appendGenesis(
  ledger: Ledger,
  sha256: Sha256,
  keys: GenesisKeys,
  choices: GenesisChoices,
): Promise<HashHex> {
  const genesis = genesisOf(sha256, keys, choices);
  const [receipt] = await ledger.write(({ seq }) => {
    if (seq === 0) return [{ kind: 'genesis/1', body: genesis }];
    throw new Fault('wrong_head', 'genesis', { expected: 'an empty log', found: `${seq} entries` });
  });
  if (receipt === undefined) throw new TypeError('appendGenesis: no receipt');
  return receipt.leaf;
}
