import { blockId, headerHash, parseHeader } from '../bitcoin/header.ts';
import type { HashHex } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import type { Report } from '../report/report.ts';
import { wire } from '../wire/wire.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

const TABLE = 'beacons';

export interface BeaconRow {
  readonly seq: number;
  readonly height: number;
  /** The block's id as explorers show it. */
  readonly hash: HashHex;
  /** The time in the header, in Unix seconds. */
  readonly time: number;
  /** 80 bytes, hex. */
  readonly header: string;
}

/** Every beacon, by its position in the log. */
export const beaconsView: View = {
  name: 'beacons',
  apply(entry, _state, sha256) {
    if (entry.kind !== 'beacon/1') return [];
    const { height, header } = entry.body;
    const bytes = parseHex(header, 80);
    const row: BeaconRow = {
      seq: entry.seq,
      height,
      hash: blockId(headerHash(sha256, bytes)),
      time: parseHeader(bytes).time,
      header,
    };
    return [{ table: TABLE, key: seqKey(entry.seq), value: wire(row) }];
  },
};

/** The newest beacon, or the newest before entry `seq`, which was therefore written after its block. */
export function newestBeacon(state: ViewState, seq?: number): BeaconRow | undefined {
  const below = seq === undefined ? undefined : seqKey(seq);
  for (const [, row] of state.descend(TABLE, below)) return row as unknown as BeaconRow;
  return undefined;
}

/** The newest block, as a report on top of these rows names it. */
export function newestBlock(state: ViewState): Report['after'] {
  const beacon = newestBeacon(state);
  return beacon === undefined ? null : { height: beacon.height, hash: beacon.hash };
}
