import { faultCode, messageOf } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import type { Beacon } from '@assay/core/kind/beacon';
import { type BlockRules, checkBlock } from './block-check.ts';
import type { CheckContext } from '../check/read-check.ts';
import type { BlockFacts } from '../verdict/verdict.ts';

/** A beacon whose header has its own work, and whether the chain has the block. */
export interface CheckedBeacon {
  readonly facts: BlockFacts;
  /** It was mined and then lost: another block has its height. */
  readonly stale: boolean;
}

/**
 * Checks that the header of a beacon took work, on the log's network, with bits that its height allows. A block that
 * the chain has lost was still mined on top of a block of the chain, so it is named as a reservation and is no finding.
 */
export async function checkBeacon(
  { height, header }: Beacon,
  place: string,
  rules: BlockRules,
  { findings, notChecked, tally }: CheckContext,
): Promise<CheckedBeacon | undefined> {
  tally.beacons += 1;
  try {
    const { facts, differs } = await checkBlock(height, parseHex(header, 80), rules, notChecked);
    if (differs !== undefined && !differs.stale) {
      findings.add('header_differs', place, differs.expected, differs.found);
      return undefined;
    }
    if (differs !== undefined) {
      notChecked.add(
        'times',
        `whether ${place} named the newest block, ${facts.block} at height ${height}`,
        'the headers given have another there: a stale block, mined with work and then lost',
        'none',
      );
    }
    return { facts, stale: differs !== undefined };
  } catch (error) {
    if (faultCode(error) !== 'bad_header') throw error;
    findings.add('beacon_invalid', place, 'a header with its work', messageOf(error));
    return undefined;
  }
}
