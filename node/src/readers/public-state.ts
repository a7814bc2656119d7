import { parseTime } from '@assay/core/time/time';
import { z } from 'zod';
import { Fault } from '@assay/core/fault';
import { bodyOf, type WriterClient } from './writer-client.ts';
import { parseWriterState, type WriterState } from './writer-state.ts';

const MOST_BYTES = 1024 * 1024;

const status = z.object({
  state: z.enum(['ok', 'degraded', 'halted']),
  reasons: z.array(z.string()),
  notice: z.string().nullable(),
  now: z.string(),
  log_size: z.int().min(0),
  feeds: z.object({
    slot: z.number().nullable(),
    waiting: z.number().nullable(),
    waiting_since: z.string().nullable(),
  }),
  storage: z.unknown(),
});

/**
 * What a publisher says of itself to anybody, from its `/status`, for a reader without its token. Throws `malformed`, and
 * what `WriterClient.send` throws.
 */
export async function publicState(client: WriterClient, vkey: string): Promise<WriterState> {
  const answer = await client.send({ method: 'GET', target: '/v1/status' });
  const body = await bodyOf(answer, MOST_BYTES);
  const { data } = status.safeParse(jsonOf(body));
  if (data === undefined) {
    throw new Fault('malformed', 'status of the publisher', { found: `status ${answer.status}` });
  }
  const { state, reasons, notice, now, log_size: size, feeds, storage } = data;
  const level = state === 'halted' ? 'halted' : 'degraded';
  return parseWriterState({
    now: parseTime(now),
    size,
    concerns: reasons.map((reason) => ({ level, reason })),
    feeds: feeds.waiting === null ? null : feeds,
    storage,
    setting: {
      vkey,
      publicUrl: null,
      mirrorUrl: null,
      notice,
      datasetStart: null,
      hasTier: false,
      prices: {},
    },
  });
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
