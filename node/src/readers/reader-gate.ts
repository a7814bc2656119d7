import { createHash, timingSafeEqual } from 'node:crypto';
import { headerBlock } from '../http/header.ts';
import type { PipelineOptions } from '../http/pipeline.ts';
import { problem } from '../http/problem.ts';

/** The header by which a reader shows a publisher's token, and says for whom it asks. */
export const READER_HEADER = 'assay-reader';

type Admit = NonNullable<PipelineOptions['admit']>;

const NOTHING = headerBlock([]);

/** The value of the header: what a reader asks for itself, or for the client whose address is in X-Forwarded-For. */
export function readerHeader(token: string, asker: 'itself' | 'client'): string {
  return `${token} ${asker}`;
}

/**
 * Admits readers to the address at which a publisher answers them. What a reader asks for itself is not counted; what it
 * passes on is counted by `admit` for the client that it names. Without the token there are only the answers that have no
 * budget, such as `/healthz`, so that a program of the machine can neither get around the limits nor name a client.
 */
export function readerGate(token: string, admit: Admit): Admit {
  const expected = digest(token);
  return (request, endpoint, now) => {
    if (endpoint?.budget === 'none') return undefined;
    const [given = '', asker = ''] = (request.header(READER_HEADER) ?? '').split(' ');
    if (!timingSafeEqual(digest(given), expected)) {
      return { policy: NOTHING, status: NOTHING, reply: problem(request, 'not_a_reader') };
    }
    return asker === 'itself' ? undefined : admit(request, endpoint, now);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** An address with the key of a client, as a limiter counts it; undefined for a peer without an address. */
export function addressOfKey(key: string): string | undefined {
  const network = /^([0-9a-f:]+)::\/64$/.exec(key);
  if (network !== null) return `${network[1]}::`;
  return /^[0-9.]+$/.test(key) ? key : undefined;
}
