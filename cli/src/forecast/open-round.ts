import { ROUNDS_PATH } from '@assay/core/answer/arena-round';
import { SIGNER_PATH } from '@assay/core/answer/routes';
import { arenaRuleHash, arenaRuleParser, type RoundRule } from '@assay/core/arena/rule/arena-rule';
import { Fault } from '@assay/core/fault';
import { type HashHex, type Sha256 } from '@assay/core/hash/hash';
import type { Genesis } from '@assay/core/kind/genesis';
import { parseRound, type Round } from '@assay/core/kind/round';
import { roundAt } from '@assay/core/timelock/beacon-chain';
import { parseTime } from '@assay/core/time/time';
import { integer, isObject } from '@assay/core/wire/schema';
import type { WireObject } from '@assay/core/wire/wire';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { bodyOf, parseJson } from '@assay/verifier/client/log-answer';
import { readProvenLog } from './proven-log.ts';

/** A round that the log of its server has, with what a forecast in it depends on. */
export interface OpenRound {
  /** Leaf hash of entry 0 of the log. */
  readonly log: HashHex;
  readonly round: Round;
  readonly rule: RoundRule;
  readonly genesis: Genesis;
  /** The report keys of the log, hex, the first one first; later ones are as the server gives them. */
  readonly keys: readonly string[];
}

/**
 * Reads a round from the entry that the log has of it, and the arena rule that the round names by its hash. Throws
 * `not_found`, `unreachable`, `malformed`, `bad_proof` or `bad_note`.
 */
export async function readRound(reader: LogReader, id: string, sha256: Sha256): Promise<OpenRound> {
  const path = `/v1${ROUNDS_PATH}/${id}`;
  const answer = await objectAt(reader, path);
  const { log, genesis, entry } = await readProvenLog(reader, sha256);
  const seq = integer(1, Number.MAX_SAFE_INTEGER)(answer['seq'] ?? null, 'seq');
  const { kind, body } = await entry(seq);
  const round = parseRound(kind === 'round/1' ? body : null, `entry ${seq}`);
  const rule = arenaRuleParser(sha256)(answer['rule'] ?? null, 'rule');
  const named = arenaRuleHash(sha256, rule);
  if (round.id !== id || named !== round.arena_rule || rule.arena === null) {
    const expected = `round ${id} and the arena rule that it names, ${round.arena_rule}`;
    throw new Fault('malformed', 'round', { at: path, expected, found: `${round.id}, ${named}` });
  }
  const { arena } = rule;
  const due = roundAt(arena.drand, parseTime(round.closes_at) + arena.seal_margin_s);
  if (round.drand_round !== due) {
    const found = `${round.drand_round}`;
    throw new Fault('malformed', 'drand round', { at: path, expected: `${due}`, found });
  }
  return { log, round, rule: arena, genesis, keys: await reportKeys(reader, genesis) };
}

/** The report keys of a log, hex, the first one first; later ones are as the server gives them. */
export async function reportKeys(
  reader: LogReader,
  { report_key }: Genesis,
): Promise<readonly string[]> {
  const { keys } = await objectAt(reader, SIGNER_PATH);
  const listed = (Array.isArray(keys) ? keys : []).filter(isObject);
  const reports = listed.filter(({ purpose }) => purpose === 'report');
  const later = reports.flatMap(({ key }) => (typeof key === 'string' ? [key] : []));
  return [report_key, ...later];
}

/** The JSON object at a path. Throws `not_found`, `unreachable` or `malformed`. */
export async function objectAt(reader: LogReader, path: string): Promise<WireObject> {
  const value = parseJson(await bodyOf(reader, path), path);
  if (isObject(value)) return value;
  throw new Fault('malformed', 'answer', { at: path, expected: 'an object' });
}
