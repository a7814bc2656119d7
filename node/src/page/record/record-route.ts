import type { Sha256 } from '@assay/core/hash/hash';
import type { Publication } from '../../api/publication.ts';
import { jsonShown } from '../../api/publication.ts';
import { halted } from '../../api/folded-routes.ts';
import { route, type Route } from '../../http/route.ts';
import type { LogRecord } from '../../ledger/record.ts';
import { KeptTimes } from './kept-times.ts';
import { publisherRecord } from './publisher-record.ts';

/** Where the figures of the page `/record` are served as JSON. */
export const RECORD_PATH = '/record/figures.json';

/**
 * The record of the publisher as JSON, made once for each state of the log. It is what the page `/record` shows and in
 * no document of the API: its members may change with the page.
 */
export function recordRoute(record: LogRecord, publication: Publication, sha256: Sha256): Route {
  const times = new KeptTimes(sha256);
  return route(
    'GET',
    RECORD_PATH,
    (request) => {
      if (!publication.readable) return halted(request);
      const { cache, version } = publication;
      const ready =
        cache.get(RECORD_PATH, version) ??
        cache.keep(
          RECORD_PATH,
          version,
          jsonShown(JSON.stringify(publisherRecord(record.shown, times.of))),
        );
      return publication.reply(request, ready);
    },
    { unversioned: true, isPage: true },
  );
}
