import type { Verdict } from '@assay/verifier/verdict/verdict';
import { logAbove } from '../reader/log-above.ts';
import { logUrl } from '../reader/log-url.ts';

/** What somebody can do whose verification was not completed, as a sentence; empty if there is nothing to say. */
export async function adviceOn(
  verdict: Verdict,
  target: string,
  stop: AbortSignal,
): Promise<string> {
  if (verdict.outcome !== 'incomplete') return '';
  switch (verdict.cause) {
    case 'no_log': {
      const url = logUrl(target);
      const above = url === undefined ? undefined : await logAbove(url, stop);
      return above === undefined
        ? 'Look at the address: a log has its signed head at /checkpoint behind it.'
        : `There is a log at ${above}: did you mean assay verify ${above}?`;
    }
    case 'not_a_bundle':
      return 'Look at the name of the file, or ask for the one that assay bundle has written.';
    case 'reformatted':
      return `Ask for the file as assay bundle has written it. Where only its layout was changed, this brings it back: jq -cj . ${target} > again.json`;
    case 'interrupted':
      return '';
  }
}
