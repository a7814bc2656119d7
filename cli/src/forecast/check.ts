import { forecastSignature } from '@assay/core/arena/forecast-check';
import { ROUNDS_PATH } from '@assay/core/answer/arena-round';
import { SIGNER_PATH } from '@assay/core/answer/routes';
import { parseHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { Fault, faultCode } from '@assay/core/fault';
import { type HashHex, toHash } from '@assay/core/hash/hash';
import { type Freeze, parseFreeze } from '@assay/core/kind/freeze';
import { verifyInclusion } from '@assay/core/log/tree';
import { array, hashHex, isObject } from '@assay/core/wire/schema';
import { formatWire, parseWire, type WireObject, type WireValue } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { command, type Command } from '../command/command.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { option } from '../command/option.ts';
import { serverUrl } from '../command/options.ts';
import type { Terminal } from '../command/tty.ts';
import { httpReader } from '../reader/http-reader.ts';
import { bodyOf, parseJson } from '../reader/log-answer.ts';
import { readPlainFile } from '../reader/plain-file.ts';
import { textRows } from '../text/text-rows.ts';
import { parseReceiptFile, type ReceiptFile, receiptFaults } from './receipt-file.ts';

const MAX_FILE_BYTES = 65_536;

export const checkCommand: Command = command({
  name: 'forecast check',
  summary: 'Check the receipt of a forecast against the log.',
  about: `Checks a receipt that assay forecast make has kept: that the log's report key signed it, that it is for this forecast and no other, that the log has the forecast at its place, and, once the round is frozen, that the frozen root holds it.

    Whether the log itself is sound is for assay verify to say. Keep the receipt: with a frozen root that does not hold the forecast, it convicts the operator.`,
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
    const { faults, frozen } = await checkReceipt(file, httpReader(url ?? file.url));
    return report(file, faults, frozen, terminal);
  },
});

interface Checked {
  readonly faults: readonly string[];
  /** Whether the round is frozen. */
  readonly frozen: boolean;
}

async function checkReceipt(file: ReceiptFile, reader: LogReader): Promise<Checked> {
  const { forecast, receipt, key } = file;
  const faults = [...receiptFaults(nodeSha256, forecast, receipt)];
  const signed = forecastSignature(nodeSha256, receipt.log, key, forecast);
  if (signed !== undefined && !nodeVerifySignature(signed.key, signed.message, signed.signature)) {
    faults.push('the forecast is not signed by the key of its handle');
  }
  const signer = await objectAt(reader, SIGNER_PATH);
  const keys = Array.isArray(signer['keys']) ? signer['keys'] : [];
  if (signer['log_id'] !== receipt.log)
    faults.push(`the server has another log than ${receipt.log}`);
  if (!keys.some((each) => isObject(each) && each['key'] === receipt.key)) {
    faults.push(`${receipt.key} is no key of the log`);
  }
  const path = `/v1${ROUNDS_PATH}/${forecast.round}?place=${forecast.ordinal}`;
  const answer = await objectAt(reader, path).catch((error: unknown) => {
    if (faultCode(error) === 'not_found') return undefined;
    throw error;
  });
  if (answer === undefined) {
    faults.push(`the log has no forecast at place ${forecast.ordinal} of ${forecast.round}`);
    return { faults, frozen: false };
  }
  const found = answer['forecast'] ?? null;
  const entry = isObject(found) ? found : {};
  if (textOf(entry['body'] ?? null) !== textOf(forecast as unknown as WireValue)) {
    faults.push(`the log has another forecast at place ${forecast.ordinal}`);
  }
  const freeze = answer['freeze'] ?? null;
  if (!isObject(freeze)) return { faults, frozen: false };
  const body = parseFreeze(freeze['body'] ?? null, 'freeze');
  if (!holds(body, receipt.leaf, forecast.ordinal, entry['proof'] ?? null)) {
    faults.push(`the frozen root ${body.root} does not hold the forecast`);
  }
  return { faults, frozen: true };
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
  faults: readonly string[],
  frozen: boolean,
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

async function objectAt(reader: LogReader, path: string): Promise<WireObject> {
  const value = parseJson(await bodyOf(reader, path), path);
  if (isObject(value)) return value;
  throw new Fault('malformed', 'answer', { at: path, expected: 'an object' });
}

function textOf(value: WireValue): string {
  return value === null ? 'null' : parseUtf8(formatWire(value));
}
