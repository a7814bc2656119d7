// Free samples of the paid answers, with the same members. Their figures are invented, and they say so.
import { HEAT_ALIASES, type Json, withAliases } from '@assay/core/answer/terminal/alias';

const TS = '2026-09-21T14:15:00Z';
const ETH = { symbol: 'ETH', name: 'Ethereum', class: 'crypto' };
const MISSING: readonly object[] = [];

function sample(payload: object): object {
  return withAliases({ sample: true, ...payload } as Json, HEAT_ALIASES) as object;
}

export const SAMPLE_HISTORY: object = sample({
  asset: ETH,
  since: '2026-06-23T14:20:00Z',
  points: [
    { ts: '2026-06-23T14:30:00Z', score: 41, price: null, vol_24h: null, move_24h: null },
    { ts: '2026-09-21T14:00:00Z', score: null, price: null, vol_24h: null, move_24h: null },
    { ts: TS, score: 72, price: 4183.25, vol_24h: 18_250_000_000, move_24h: 8.42 },
  ],
  missing: MISSING,
});

export const SAMPLE_BOARD: object = sample({
  at: '2026-09-21T14:20:00Z',
  assets: [
    { ...ETH, ts: TS, score: 72, price: 4183.25, move_24h: 8.42, vol_24h: 18_250_000_000 },
    {
      symbol: 'BTC',
      name: 'Bitcoin',
      class: 'crypto',
      ts: TS,
      score: 33,
      price: null,
      move_24h: null,
      vol_24h: null,
    },
  ],
  missing: [{ source: 'example', fields: ['price', 'vol_24h', 'move_24h'], reason: 'rights' }],
});

const RECORD = {
  canonical_json: '{"symbol":"ETH"}',
  digest: '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
  bitcoin_height: 963_412,
  ots: 'AE9wZW5UaW1lc3RhbXBz',
};

export const SAMPLE_RECEIPTS: object = {
  sample: true,
  rows: [
    {
      event_id: '2a88ea6e-bf0d-863c-99c2-ac3e7f7c160d',
      symbol: 'ETH',
      name: 'Ethereum',
      class: 'crypto',
      display: true,
      status: 'cooling',
      opened_at: TS,
      closed_at: '2026-09-21T18:00:00Z',
      close_reason: 'below',
      score_at_open: 72,
      peak_score: 81,
      peak_heat: 81,
      heat_at_open: 81,
      move_24h: 8.42,
      vol_mult: 3.15,
      breadth_up: 2,
      breadth_down: 0,
      breadth_of: 80,
      rule: '5c1f0a2b3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
      ...horizon('24h', { status: 'resolved', ret_pct: 3.41, resolved_at: '2026-09-22T14:15:00Z' }),
      ...horizon('7d', { status: 'pending', ret_pct: null, resolved_at: null }),
      ...horizon('30d', { status: 'pending', ret_pct: null, resolved_at: null }),
      record_open: RECORD,
      record_24h: RECORD,
      record_7d: null,
      record_30d: null,
    },
  ],
  next_offset: null,
  halted: false,
  since: '2026-08-27',
};

function horizon(
  name: string,
  { status, ret_pct, resolved_at }: Readonly<Record<string, string | number | null>>,
): Readonly<Record<string, string | number | null>> {
  const isResolved = status === 'resolved';
  return {
    [`status_${name}`]: status ?? null,
    [`ret_pct_${name}`]: ret_pct ?? null,
    [`resolved_at_${name}`]: resolved_at ?? null,
    [`void_reason_${name}`]: null,
    [`benchmark_${name}`]: isResolved ? 'BTC' : null,
    [`benchmark_ret_pct_${name}`]: isResolved ? 1.02 : null,
    [`benchmark_reason_${name}`]: null,
  };
}
