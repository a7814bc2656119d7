import type { Report } from '@assay/core/report/report';
import type { Signable } from '../key/report-signer.ts';
import type { Place } from './signing-memory.ts';

/**
 * The place of a report's print. A final and a void have the same one, because a period has one end; each issue of a
 * provisional and of a correction has its own.
 */
export function printPlace({ ticker, period, status, issue }: Report): Place {
  const which = status === 'final' || status === 'void' ? 'end' : `${status}-${issue}`;
  return `print/${ticker}/${period}/${which}`;
}

/** The place of the end of a report's period. */
export function endPlace({ ticker, period }: Report): Place {
  return `print/${ticker}/${period}/end`;
}

export function closePlace({
  day,
  version,
}: {
  readonly day: string;
  readonly version: number;
}): Place {
  return `close/${day}/${String(version).padStart(3, '0')}`;
}

/** The place of what is signed once; undefined for what may be signed again and again. */
export function placeOf(what: Signable): Place | undefined {
  switch (what.of) {
    case 'print':
      return printPlace(what.report);
    case 'close':
      return closePlace(what);
    case 'endorsement':
      return `endorsed/${what.key.kid}`;
    case 'receipt':
    case 'webhook':
    case 'transaction':
      return undefined;
  }
}
