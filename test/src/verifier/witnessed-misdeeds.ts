import { cosignatureMessage, formatCosignature } from '@assay/core/cosignature';
import {
  formatNote,
  formatNoteKey,
  NOTE_COSIGNATURE,
  parseNote,
  parseNoteKey,
} from '@assay/core/note';
import { nodeSha256 } from '@assay/node/node-sha256';
import type { Policy } from '@assay/verifier/policy';
import type { Verdict } from '@assay/verifier/verdict';
import type { LooseDraft } from './forge.ts';
import { wireBytes } from './forge.ts';
import type { Misdeed } from './misdeeds.ts';
import { ABOUT, ownSite } from './own-log.ts';
import { codesOf, draftsOf, judge, judgeSite, type Published, siteOf } from './published.ts';
import { signerFrom } from './sample-log.ts';
import { bundleFor } from './recounted-bundle.ts';
import { keyOf } from './chained-log.ts';

const NAME = 'w.example';
const WITNESS = signerFrom(NAME);
const VKEY = formatNoteKey(nodeSha256, NAME, WITNESS.publicKey, NOTE_COSIGNATURE);
const POLICY: Partial<Policy> = {
  witnesses: [{ operator: 'Alpha', vkey: VKEY }],
  witnesses_required: 1,
};

/** The verdict on a log whose checkpoint has a line more: a witness's, of the bytes that `of` makes of it. */
function judgeWitnessed(
  published: Published,
  of: (message: Uint8Array) => Uint8Array,
): Promise<Verdict> {
  const { text, signatures } = parseNote(published.checkpoint);
  const time = 1_700_000_000;
  const signature = WITNESS.sign(of(cosignatureMessage(text, time)));
  const key = parseNoteKey(nodeSha256, VKEY, NOTE_COSIGNATURE);
  const line = formatCosignature(key, { time, signature });
  const body = formatNote({ text, signatures: [...signatures, line] });
  const site = siteOf(published).set('/checkpoint', { status: 200, body, logSize: undefined });
  return judgeSite(site, POLICY);
}

export const WITNESSED_MISDEEDS: readonly Misdeed[] = [
  {
    name: 'a checkpoint that no witness of the policy has seen',
    code: 'witnesses_missing',
    verdict: ({ published }) => judgeSite(siteOf(published), POLICY),
  },
  {
    name: 'a line in the name of a witness that signed something else',
    code: 'witness_bad_line',
    async verdict({ published }) {
      const good = await judgeWitnessed(published, (message) => message);
      if (good.outcome !== 'verified') return good;
      return judgeWitnessed(published, (message) => message.with(3, 0x21));
    },
  },
  {
    name: 'a number with which too few of the co-signers that the policy lists agree',
    code: 'quorum_below_policy',
    async verdict() {
      const bytes = wireBytes(await bundleFor(ABOUT, '2026-07-18'));
      const policy = (...names: readonly string[]): Partial<Policy> => ({
        cosigners: names.map((name) => ({ operator: `the ${name}s`, key: keyOf(name) })),
        cosigners_required: names.length,
      });
      const good = await judge({ kind: 'bundle', bytes }, policy('ada', 'ben'));
      if (codesOf(good).length > 0) return good;
      return judge({ kind: 'bundle', bytes }, policy('ada', 'dora'));
    },
  },
  {
    name: 'an index that did not print what was due, for whoever asks for all of it',
    code: 'log_incomplete',
    place: 'LAYOFFS',
    verdict: () => judgeSite(siteOf(ABOUT.published), { complete: true }),
  },
  {
    name: 'a number that was asked for, and that the log has not settled',
    code: 'number_unsettled',
    place: 'LAYOFFS, 2026-08-08',
    verdict: () =>
      judgeSite(
        siteOf(ABOUT.published),
        {},
        { number: { index: 'LAYOFFS', period: '2026-08-08' } },
      ),
  },
  {
    name: 'a rule among the words of a co-signer',
    code: 'kinds_mixed',
    verdict: () =>
      judgeSite(
        ownSite('ada', (drafts) => {
          const rule = draftsOf(ABOUT.published.entries).find(({ kind }) => kind === 'rule/1');
          drafts.push({ ...(rule as LooseDraft), at: (drafts.at(-1) as LooseDraft).at });
        }),
      ),
  },
  {
    name: 'a second word on a report',
    code: 'statement_contradicts',
    verdict: () =>
      judgeSite(
        ownSite('ada', (drafts) => {
          const [first] = drafts as [LooseDraft];
          drafts.push({ ...first, at: (drafts.at(-1) as LooseDraft).at });
        }),
      ),
  },
];
