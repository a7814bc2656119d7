import { formatHex, parseHex } from '@assay/core/hex';
import type { Genesis } from '@assay/core/kind/genesis';
import { dissentMessage, parsePrint, PRINT_BYTES } from '@assay/core/print';
import { type Statement, statementMessage } from '@assay/core/statement';
import { checkpointSigner, type Signer } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/node-sha256';
import { parseEntry } from '@assay/core/entry';
import { genesisBody, testSigner } from '../node/ledger/ledger-fixture.ts';
import { type Chained, chained, COSIGNERS, keyOf } from './chained-log.ts';
import type { Loose, LooseDraft } from './forge.ts';
import { chain, publish, type Published, type Site, siteOf } from './published.ts';

/** The publisher's log that the co-signers speak of. */
export const ABOUT: Chained = chained();

/** Checkpoint keys of the co-signers' own logs. */
const CHECKPOINT_KEYS: Readonly<Record<string, number>> = { ada: 41, ben: 42, cleo: 43, dora: 44 };

/** Signs a word's body anew with a co-signer's key, as its verdict wants it. */
export function signWord(name: string, statement: Loose): Loose {
  const signer = COSIGNERS[name] as Signer;
  const sign = (message: Uint8Array): string => formatHex(signer.sign(message));
  const print = parseHex(statement['print'] as string, PRINT_BYTES);
  const { verdict } = statement;
  return {
    statement,
    signature: sign(statementMessage(statement as unknown as Statement)),
    print_signature: verdict === 'agree' ? sign(print) : null,
    dissent_signature: verdict === 'dissent' ? sign(dissentMessage(parsePrint(print))) : null,
  };
}

/** What a co-signer says in `about`, as entries of a log of its own. */
export function wordDrafts(name: string, about: Chained = ABOUT): LooseDraft[] {
  const drafts: LooseDraft[] = [];
  for (const bytes of about.published.entries) {
    const { at, kind, body } = parseEntry(bytes);
    if (kind !== 'cosign/1' && kind !== 'dissent/1') continue;
    const { statement } = body as Loose;
    if (statement.cosigner !== keyOf(name)) continue;
    drafts.push({ at, kind: 'statement/1', body: signWord(name, structuredClone(statement)) });
  }
  return drafts;
}

/** A co-signer's own log: its first entry, and what `change` makes of its words. */
export function ownLog(
  name: string,
  change: (drafts: LooseDraft[]) => void = () => {},
  about: Chained = ABOUT,
  origin = `development/${name}`,
): Published {
  const signer = testSigner(CHECKPOINT_KEYS[name] as number);
  const checkpoints = checkpointSigner(nodeSha256, origin, signer);
  const body: Genesis = genesisBody({
    origin,
    report_key: keyOf(name),
    checkpoint_vkey: checkpoints.vkey,
  });
  const drafts: LooseDraft[] = wordDrafts(name, about);
  change(drafts);
  const genesis = { at: '2026-07-01T00:00:00Z', kind: 'genesis/1', body: body as unknown as Loose };
  return publish(chain([genesis, ...drafts] as never), new Map(), checkpoints);
}

/** What a co-signer serves of its own log: the log's files, and no API. */
export function ownSite(...of: Parameters<typeof ownLog>): Site {
  const site = siteOf(ownLog(...of));
  for (const path of site.keys()) if (!/^\/(checkpoint|tile)/.test(path)) site.delete(path);
  return site;
}
