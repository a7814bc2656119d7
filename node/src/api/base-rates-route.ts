import { ASSET_CLASSES } from '@assay/core/terminal/tick/asset-symbol';
import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route } from '../http/route.ts';
import { studiesPayload } from '../terminal/answer/base-rates.ts';
import type { StudyReader } from '../terminal/study/study-reader.ts';
import { halted } from './folded-routes.ts';
import { listBaseRates } from './operation/terminal-operations.ts';
import { jsonShown, type Publication } from './publication.ts';

const PATH = '/base-rates';

/** Why nothing is answered that rests on a study whose bytes are missing. */
export const UNREADABLE_STUDY = 'The study cannot be read now.';

/** Every group of the newest studies, made once for each study. */
export function baseRatesRoute({
  publication,
  studies,
}: {
  readonly publication: Publication;
  readonly studies: Pick<StudyReader, 'newest'>;
}): Route {
  const answer = async (request: ApiRequest): Promise<ApiReply> => {
    if (!publication.readable) return halted(request);
    const frozen = await Promise.all(ASSET_CLASSES.map((of) => studies.newest(of)));
    if (frozen.includes('unreadable')) {
      return problem(request, 'halted', { detail: UNREADABLE_STUDY });
    }
    const found = frozen.filter((study) => typeof study === 'object');
    // The number of the entry too, because two entries may name the same bytes.
    const version = found.map(({ row }) => `${row.seq} ${row.blob}`).join(' ');
    const { cache } = publication;
    const known = cache.get(PATH, version);
    if (known !== undefined) return publication.reply(request, known);
    const shown = jsonShown(JSON.stringify(studiesPayload(found)));
    return publication.reply(request, cache.keep(PATH, version, shown));
  };
  return route('GET', PATH, answer, { operation: listBaseRates });
}
