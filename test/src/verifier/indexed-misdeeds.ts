import type { Verdict } from '@assay/verifier/verdict';
import { closedLog } from './closed-log.ts';
import type { Forge, Loose } from './forge.ts';
import { type Bend, indexedForge, withAnotherFinal } from './indexed-log.ts';
import { bundleOf, judgeBundle, type Misdeed } from './misdeeds.ts';
import { judgeSite, siteOf } from './published.ts';
import { tickedLog } from './ticked-log.ts';

const PERIOD = '2026-07-18';

async function bent(bend: Bend): Promise<Verdict> {
  return judgeSite(siteOf(indexedForge(await closedLog(), { bend }).publish()));
}

/** What a publisher with every key does with its daily index entries. */
export const INDEXED_MISDEEDS: readonly Misdeed[] = [
  {
    name: 'an index entry of the day that it is written in',
    code: 'index_not_due',
    verdict: async () => bent((draft) => (draft.body['day'] = draft.at.slice(0, 10))),
  },
  {
    name: 'an index entry that counts a print fewer than the log has',
    code: 'index_differs',
    place: 'prints/count',
    verdict: async () => bent(({ body }) => (body['prints'].count -= 1)),
  },
  {
    name: 'an index entry that counts an event fewer than the log has',
    code: 'index_differs',
    place: 'events/count',
    async verdict() {
      // A study names entries by their places, which the index entries move.
      const change = (forge: Forge): void => void forge.drafts.pop();
      const bend: Bend = ({ body }) => (body['events'].count -= 1);
      return judgeSite(siteOf(indexedForge(tickedLog(), { change, bend }).publish()));
    },
  },
  {
    name: 'a bundle whose proof of absence lacks a leaf',
    code: 'index_proof_invalid',
    async verdict() {
      const log = indexedForge(await closedLog()).publish();
      const bundle = structuredClone(await bundleOf(log, PERIOD)) as Loose;
      bundle['index_proofs'][0].leaves.pop();
      return judgeBundle(bundle);
    },
  },
  {
    name: 'a bundle of a final beside which the log holds another',
    code: 'index_contradicts',
    async verdict() {
      const change = (forge: Parameters<typeof withAnotherFinal>[0]): void =>
        withAnotherFinal(forge, PERIOD, 'final');
      return judgeBundle(
        await bundleOf(indexedForge(await closedLog(), { change }).publish(), PERIOD),
      );
    },
  },
];
