import { formatDate } from '@assay/core/time';
import type { Week } from '@assay/node/demo/claims-sample';

const encoder = new TextEncoder();

/** The series as the record of the sample rules gives it: CSV with plain numbers and ISO dates. */
export function claimsCsv(weeks: readonly Week[]): Uint8Array {
  const lines = weeks.map(({ period, claims }) => `${formatDate(period)},${claims}`);
  return encoder.encode(`week_ending,claims\n${lines.join('\n')}\n`);
}

/** The same series as their mirror gives it: JSON with US dates and grouped digits. */
export function claimsJson(weeks: readonly Week[]): Uint8Array {
  return encoder.encode(
    JSON.stringify({
      weeks: weeks.map(({ period, claims }) => {
        const [year, month, day] = formatDate(period).split('-');
        return {
          week_ending: `${month}/${day}/${year}`,
          initial_claims_sa: claims.toLocaleString('en-US'),
        };
      }),
    }),
  );
}
