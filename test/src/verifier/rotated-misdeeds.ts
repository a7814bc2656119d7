import { REPORT_SIGNER, testSigner } from '../node/ledger/ledger-fixture.ts';
import type { LooseDraft } from './forge.ts';
import type { Misdeed } from './misdeeds.ts';
import { judgeSite, siteOf } from './published.ts';
import { placeOf, rotated, rotationTo1, signedKey } from './rotated-log.ts';

/** What a publisher may not do with its report keys. */
export const ROTATED_MISDEEDS: readonly Misdeed[] = [
  {
    name: 'a report key that is out of its order',
    code: 'key_not_allowed',
    verdict: () =>
      judgeSite(
        siteOf(
          rotated((drafts, log) => {
            const draft = drafts[placeOf(drafts, 'key/1')] as { body: object };
            draft.body = rotationTo1(log, { number: 2 });
          }),
        ),
      ),
  },
  {
    name: 'a report key that the coming one did not sign',
    code: 'key_bad_signature',
    verdict: () =>
      judgeSite(
        siteOf(
          rotated((drafts, log) => {
            const { signatures: _, ...said } = rotationTo1(log);
            const body = signedKey(log, said, { old: REPORT_SIGNER, new: testSigner(9) });
            (drafts[placeOf(drafts, 'key/1')] as LooseDraft & { body: object }).body =
              body as never;
          }),
        ),
      ),
  },
];
