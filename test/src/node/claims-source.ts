import type { SourceRequest } from '@assay/core/request';
import { releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import { parseDate } from '@assay/core/time';
import type { Clock } from '@assay/node/clock';
import type { Source, SourceAnswer } from '@assay/node/source/source';
import { claimsCsv, claimsJson } from './claims-pages.ts';
import type { Week } from '@assay/node/demo/claims-sample';
import type { Vintage } from '@assay/node/demo/claims-sample';
import { syntheticWeeks } from '@assay/node/demo/synthetic-claims';

/** What the rules in `samples/rules` ask for, and how it is written. */
const SAMPLE_CSV = 'https://claims.sample.invalid/initial-claims.csv';
const SAMPLE_JSON = 'https://mirror.sample.invalid/initial-claims.json';
const SYNTHETIC_CSV = 'https://claims.synthetic.invalid/initial-claims.csv';
const SYNTHETIC_JSON = 'https://mirror.synthetic.invalid/initial-claims.json';

/**
 * The sources of `samples/rules`, without a network: the typed-in vintages as they stood,
 * and after them invented weeks. Sample and synthetic figures have hosts of their own, so that no
 * snapshot can pass one off for the other.
 */
export class ClaimsSource implements Source {
  readonly #vintages: readonly Vintage[];
  readonly #synthetic: Rule;
  readonly #now: Clock;

  /** `synthetic` is the rule of the invented weeks: its calendar says when one is out. */
  constructor(vintages: readonly Vintage[], synthetic: Rule, now: Clock) {
    this.#vintages = vintages;
    this.#synthetic = synthetic;
    this.#now = now;
  }

  readonly read = (request: SourceRequest): Promise<SourceAnswer> =>
    Promise.resolve(this.#answer(request.url));

  #answer(url: string): SourceAnswer {
    switch (url) {
      case SAMPLE_CSV:
        return page('text/csv', claimsCsv(this.#sampleWeeks()));
      case SAMPLE_JSON:
        return page('application/json', claimsJson(this.#sampleWeeks()));
      case SYNTHETIC_CSV:
        return page('text/csv', claimsCsv(this.#allWeeks()));
      case SYNTHETIC_JSON:
        return page('application/json', claimsJson(this.#allWeeks()));
      default:
        return { kind: 'failed', reason: 'unreachable', detail: 'not a development source' };
    }
  }

  /** The newest vintage that is out. */
  #sampleWeeks(): readonly Week[] {
    const today = this.#now();
    return this.#vintages.findLast(({ asOf }) => asOf * 86_400 <= today)?.weeks ?? [];
  }

  #allWeeks(): readonly Week[] {
    const first = parseDate(this.#synthetic.applies_from);
    let newest = first - 7;
    while (
      releaseTime(this.#synthetic.release, this.#synthetic.period, newest + 7) <= this.#now()
    ) {
      newest += 7;
    }
    return [...this.#sampleWeeks(), ...syntheticWeeks(first, newest)];
  }
}

function page(contentType: string, bytes: Uint8Array): SourceAnswer {
  return { kind: 'pages', pages: [{ status: 200, contentType, bytes }] };
}
