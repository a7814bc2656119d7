import { arenaRuleHash, arenaRuleParser, type RoundRule } from '@assay/core/arena/rule/arena-rule';
import { Fault } from '@assay/core/fault';
import { type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { parseRound, type Round } from '@assay/core/kind/round';
import { type BeaconChain, QUICKNET } from '@assay/core/timelock/beacon-chain';
import { hashHex as parseHash, isObject, string } from '@assay/core/wire/schema';
import { wire, type WireObject } from '@assay/core/wire/wire';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { bodyOf, parseJson } from '../reader/log-answer.ts';

/** A round as its server describes it, with what a forecast in it depends on. */
export interface OpenRound {
  /** Leaf hash of entry 0 of the log. */
  readonly log: HashHex;
  readonly round: Round;
  readonly rule: RoundRule;
  /** The name by which the log signs. It begins with `development/` on the development network. */
  readonly origin: string;
}

/**
 * Reads a round from its server. The arena rule must be the one that the round names by its hash. Throws `not_found`,
 * `unreachable` or `malformed`.
 */
export async function readRound(reader: LogReader, id: string, sha256: Sha256): Promise<OpenRound> {
  const path = `/v1/arena/rounds/${id}`;
  const answer = await objectAt(reader, path);
  const signer = await objectAt(reader, '/.well-known/assay-signer.json');
  const round = parseRound(answer['round'] ?? null, 'round');
  const rule = arenaRuleParser(sha256)(answer['rule'] ?? null, 'rule');
  const named = arenaRuleHash(sha256, rule);
  if (round.id !== id || named !== round.arena_rule || rule.arena === null) {
    const expected = `round ${id} and the arena rule that it names, ${round.arena_rule}`;
    throw new Fault('malformed', 'round', { at: path, expected, found: `${round.id}, ${named}` });
  }
  return {
    log: parseHash(signer['log_id'] ?? null, 'log_id'),
    round,
    rule: rule.arena,
    origin: string(1, 128)(signer['origin'] ?? null, 'origin'),
  };
}

async function objectAt(reader: LogReader, path: string): Promise<WireObject> {
  const value = parseJson(await bodyOf(reader, path), path);
  if (isObject(value)) return value;
  throw new Fault('malformed', 'answer', { at: path, expected: 'an object' });
}

/**
 * The drand chain that a forecast is sealed to. A log that is not of the development network must use quicknet: with a
 * chain of its own, its operator could open every forecast at once. Throws `unsupported`.
 */
export function requireChain({ rule: { drand }, origin }: OpenRound): BeaconChain {
  const isQuicknet = JSON.stringify(wire(drand)) === JSON.stringify(wire(QUICKNET));
  if (isQuicknet || origin.startsWith('development/')) return drand;
  throw new Fault('unsupported', 'drand chain', {
    expected: `quicknet, ${QUICKNET.hash}`,
    found: drand.hash,
  });
}
