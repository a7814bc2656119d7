import { parseBase64 } from '@assay/core/base64';
import type { Bundle } from '@assay/core/bundle';
import { equalBytes } from '@assay/core/bytes';
import { faultCode, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash';
import { parseHex } from '@assay/core/hex';
import { otsHashes } from '@assay/core/ots/hashes';
import { parseProof } from '@assay/core/ots/proof';
import { type BlockRules, checkBlock } from './block-check.ts';
import { type Attestations, attestationsOf, wrongRoot } from './proof-check.ts';
import type { CheckContext } from './read-check.ts';
import type { BlockFacts } from './verdict.ts';

/** What a bundle's proof says. */
export interface CheckedStamp {
  /** Calendars that have promised a block and not kept it. */
  readonly pending: readonly string[];
  /** Ascending by height. */
  readonly blocks: readonly BlockFacts[];
}

/**
 * Checks the `.ots` file of a bundle: strictly read, over the report's hash, with each Bitcoin block that it
 * leads to among the headers of the bundle, and no header besides. Undefined where
 * there is none, or with a finding.
 */
export async function checkStamp(
  { ots, headers }: Pick<Bundle, 'ots' | 'headers'>,
  digest: HashHex,
  rules: BlockRules,
  { findings, notChecked, tally }: CheckContext,
): Promise<CheckedStamp | undefined> {
  if (ots === null) return undefined;
  const place = 'bundle ots';
  let said: Attestations;
  try {
    const proof = parseProof(parseBase64(ots));
    if (proof.hash !== 'sha256' || !equalBytes(proof.digest, parseHex(digest, 32))) {
      findings.add('anchor_proof_invalid', place, `a proof of ${digest}`, 'of something else');
      return undefined;
    }
    said = attestationsOf(proof.timestamp, proof.digest, otsHashes(rules.sha256));
  } catch (error) {
    if (faultCode(error) !== 'bad_proof') throw error;
    findings.add('anchor_proof_invalid', place, 'an OpenTimestamps proof', messageOf(error));
    return undefined;
  }
  tally.proofs += 1;
  const [other] = said.others;
  if (other !== undefined) {
    const expected = 'calendars and Bitcoin blocks alone';
    findings.add('anchor_proof_invalid', place, expected, `an attestation: ${other}`);
  }
  for (const { height } of headers) {
    if (said.bitcoin.has(height)) continue;
    const at = `bundle headers of height ${height}`;
    findings.add('bundle_malformed', at, 'a block that the proof names', 'another');
  }
  const blocks: BlockFacts[] = [];
  for (const [height, messages] of said.bitcoin) {
    const given = headers.find((each) => each.height === height);
    const at = `bundle block ${height}`;
    const bytes = given === undefined ? undefined : parseHex(given.headers);
    if (bytes === undefined) {
      findings.add('bundle_incomplete', at, 'its header and the six that follow', 'none');
      continue;
    }
    const header = bytes.subarray(0, 80);
    const wrong = wrongRoot(messages, header);
    if (wrong !== undefined) {
      findings.add('anchor_proof_invalid', at, `Merkle root ${wrong.expected}`, wrong.found);
      continue;
    }
    try {
      const { facts, differs } = await checkBlock(height, bytes, rules, notChecked);
      if (differs === undefined) blocks.push(facts);
      else findings.add('header_differs', at, differs.expected, differs.found);
    } catch (error) {
      if (faultCode(error) !== 'bad_header') throw error;
      findings.add('header_invalid', at, 'linked headers with their work', messageOf(error));
    }
  }
  const owing = said.calendars.filter(({ attested }) => !attested);
  return { pending: owing.map(({ uri }) => uri), blocks };
}
