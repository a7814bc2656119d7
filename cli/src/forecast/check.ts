import { resolve } from 'node:path';
import { forecastSignature } from '@assay/core/arena/forecast-check';
import { parseReceiptFile, type ReceiptFile } from '@assay/core/arena/receipt-file';
import { receiptFaults } from '@assay/core/arena/receipted-forecast';
import { ROUNDS_PATH } from '@assay/core/answer/arena-round';
import { isHex, parseHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault, faultCode } from '@assay/core/fault';
import { type HashHex, toHash } from '@assay/core/hash/hash';
import { type Freeze, parseFreeze } from '@assay/core/kind/freeze';
import { verifyInclusion } from '@assay/core/log/tree';
import { formatEvidence, type PromiseEvidence } from '@assay/core/proof/evidence';
import { array, hashHex, isObject } from '@assay/core/wire/schema';
import { formatWire, parseWire, type WireObject, type WireValue } from '@assay/core/wire/wire';
import { writeDurable } from '@assay/node/platform/durable-file';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { command, type Command } from '../command/command.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { option } from '../command/option.ts';
import { serverUrl } from '../command/options.ts';
import type { Terminal } from '../command/tty.ts';
import { httpReader } from '../reader/http-reader.ts';
import { readPlainFile } from '../reader/plain-file.ts';
import { textRows } from '../text/text-rows.ts';
import { objectAt, reportKeys } from './open-round.ts';
import { type ProvenLog, readProvenLog } from './proven-log.ts';

const MAX_FILE_BYTES = 65_536;

export const checkCommand: Command = command({
  name: 'forecast check',
  summary: 'Check the receipt of a forecast against the log.',
  about: `Checks a receipt that assay forecast make has kept: that the log's report key signed it, that it is for this forecast and no other, that the log has the forecast at its place, and, once the round is frozen, that the frozen root holds it.

    The entries are proven under the log's signed checkpoint. Whether the log itself is sound is for assay verify to say. Keep the receipt: with a frozen root that does not hold the forecast, it convicts the operator. The command then writes FILE.evidence.json, which assay evidence check reads.`,
  operands: { file: { value: 'FILE', about: 'The receipt.' } },
  options: {
    url: option('URL', { parse: serverUrl })`
      Ask this server and not the one that took the forecast.`,
  },
  exits: {
    0: 'The frozen round holds the forecast.',
    1: 'Something differs, which is named.',
    3: 'The round is not frozen yet, and everything else is good.',
  },
  examples: {
    'assay forecast check layoffs-2026-11-21-4.receipt.json': 'See whether a forecast counts.',
  },
  run: async ({ file: path, url }, terminal) => {
    const bytes = await readPlainFile(path, MAX_FILE_BYTES);
    if (bytes === undefined) throw new Fault('not_found', 'receipt', { at: path });
    const file = parseReceiptFile(parseWire(bytes), 'receipt');
    const checked = await checkReceipt(file, httpReader(url ?? file.url));
    const code = report(file, checked, terminal);
    if (checked.evidence !== undefined) {
      const at = `${resolve(path)}.evidence.json`;
      await writeDurable(at, formatEvidence(checked.evidence));
      for (const line of textRows('evidence', `${at}: assay evidence check`, terminal)) {
        terminal.out(line);
      }
    }
    return code;
  },
});

interface Checked {
  readonly faults: readonly string[];
  /** Whether the round is frozen. */
  readonly frozen: boolean;
  /** What proves to everybody that the frozen root does not hold what the receipt promises. */
  readonly evidence?: PromiseEvidence;
}

async function checkReceipt(file: ReceiptFile, reader: LogReader): Promise<Checked> {
  const { forecast, receipt, key } = file;
  const { round, ordinal } = forecast;
  const tools = { sha256: nodeSha256, verifySignature: nodeVerifySignature };
  const faults = [...(await receiptFaults(tools, forecast, receipt))];
  const signed = forecastSignature(nodeSha256, receipt.log, key, forecast);
  if (signed !== undefined && !nodeVerifySignature(signed.key, signed.message, signed.signature)) {
    faults.push('the forecast is not signed by the key of its handle');
  }
  const proven = await readProvenLog(reader, nodeSha256);
  if (proven.log !== receipt.log) {
    faults.push(`the server has another log than ${receipt.log}`);
    return { faults, frozen: false };
  }
  if (!(await reportKeys(reader, proven.genesis)).includes(receipt.key)) {
    faults.push(`${receipt.key} is no report key of the log`);
  }
  const path = `/v1${ROUNDS_PATH}/${round}?place=${ordinal}`;
  const answer = await objectAt(reader, path).catch((error: unknown) => {
    if (faultCode(error) === 'not_found') return undefined;
    throw error;
  });
  if (answer === undefined) {
    faults.push(`the log has no forecast at place ${ordinal} of ${round}`);
    return { faults, frozen: false, ...(await beyondEnd(file, proven, reader)) };
  }
  const entry = await entryAt(proven, answer['forecast'] ?? null, 'forecast/1');
  if (entry === undefined || textOf(entry) !== textOf(forecast as unknown as WireValue)) {
    faults.push(`the log has another forecast at place ${ordinal}`);
  }
  const frozen = await entryAt(proven, answer['freeze'] ?? null, 'freeze/1');
  if (frozen === undefined) return { faults, frozen: false };
  const freeze = parseFreeze(frozen, 'freeze');
  const found = answer['forecast'] ?? null;
  const [leaf = null, proof = null] = isObject(found) ? [found['leaf'], found['proof']] : [];
  if (freeze.round === round && holds(freeze, receipt.leaf, ordinal, proof)) {
    return { faults, frozen: true };
  }
  faults.push(`the frozen root ${freeze.root} does not hold the forecast`);
  const evidence = await evidenceOf(file, proven, answer['freeze'] ?? null, {
    freeze,
    leaf,
    proof,
  });
  return { faults, frozen: true, ...(evidence === undefined ? {} : { evidence }) };
}

/** The evidence of a receipt for a place behind the end of the frozen round; nothing where it has not ended before. */
async function beyondEnd(
  file: ReceiptFile,
  proven: ProvenLog,
  reader: LogReader,
): Promise<Pick<Checked, 'evidence'>> {
  const path = `/v1${ROUNDS_PATH}/${file.forecast.round}`;
  const frozen = (await objectAt(reader, path))['freeze'] ?? null;
  const body = await entryAt(proven, frozen, 'freeze/1');
  if (body === undefined) return {};
  const freeze = parseFreeze(body, 'freeze');
  if (file.receipt.ordinal < freeze.count) return {};
  const evidence = await evidenceOf(file, proven, frozen, { freeze, leaf: null, proof: null });
  return evidence === undefined ? {} : { evidence };
}

/**
 * What convicts the operator: its receipt beside the entry whose root holds another leaf in that place, or none. Undefined where
 * that is not proven.
 */
async function evidenceOf(
  { receipt }: ReceiptFile,
  { genesis, vkey, checkpoint, first, proven }: ProvenLog,
  frozen: WireValue,
  { freeze, leaf, proof }: { freeze: Freeze; leaf: WireValue; proof: WireValue },
): Promise<PromiseEvidence | undefined> {
  const seq = isObject(frozen) ? frozen['seq'] : undefined;
  if (typeof seq !== 'number' || freeze.round !== receipt.subject) return undefined;
  // Evidence shows by genesis whose key signed the checkpoint, and genesis names the first key alone.
  if (genesis.checkpoint_vkey !== vkey) return undefined;
  const isBeyond = receipt.ordinal >= freeze.count;
  if (!isBeyond) {
    const other = typeof leaf === 'string' && isHex(leaf, 32) ? leaf : undefined;
    if (other === undefined || !holds(freeze, other as HashHex, receipt.ordinal, proof)) {
      return undefined;
    }
  }
  const { bytes: entry, proof: inclusion } = await proven(seq);
  return {
    type: 'assay-evidence/1',
    kind: 'promise',
    genesis: first,
    vkey,
    receipt,
    checkpoint,
    batch: { entry, index: seq, proof: inclusion },
    other: isBeyond
      ? null
      : { leaf: leaf as HashHex, proof: array(hashHex, 0, 64)(proof, 'proof') },
  };
}

/** The body of an entry that an answer names by its place, proven; undefined where it names none of this kind. */
async function entryAt(
  { entry }: ProvenLog,
  named: WireValue,
  kind: string,
): Promise<WireObject | undefined> {
  const seq = isObject(named) ? named['seq'] : undefined;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return undefined;
  const found = await entry(seq);
  return found.kind === kind ? found.body : undefined;
}

/** Whether the frozen root of a round holds a leaf at a place. */
function holds({ count, root }: Freeze, leaf: HashHex, ordinal: number, proof: WireValue): boolean {
  try {
    const hashes = array(hashHex, 0, 64)(proof, 'proof').map((each) => toHash(parseHex(each, 32)));
    const [node, top] = [leaf, root].map((each) => toHash(parseHex(each, 32)));
    if (node === undefined || top === undefined) return false;
    verifyInclusion(nodeSha256, node, ordinal, count, hashes, top);
    return true;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return false;
  }
}

function report(
  { forecast, value }: ReceiptFile,
  { faults, frozen }: Checked,
  terminal: Terminal,
): ExitCode {
  const place = `${forecast.round}, place ${forecast.ordinal}`;
  for (const line of textRows('forecast', `${value} for ${place}`, terminal)) terminal.out(line);
  for (const fault of faults) {
    for (const line of textRows('differs', fault, terminal, 'red')) terminal.out(line);
  }
  if (faults.length > 0) return EXIT.findings;
  const words = frozen
    ? 'the frozen root of the round holds it'
    : 'the log has it; the round is not frozen yet';
  for (const line of textRows('good', words, terminal, 'green')) terminal.out(line);
  return frozen ? EXIT.ok : EXIT.incomplete;
}

function textOf(value: WireValue): string {
  return value === null ? 'null' : parseUtf8(formatWire(value));
}
