import { parseBase64 } from '@assay/core/bytes/base64';
import { printsContradict, statementsContradict } from '@assay/core/proof/contradiction';
import {
  isOrdered,
  type PrintsEvidence,
  type StatementsEvidence,
} from '@assay/core/proof/evidence';
import { hashHex, type HashHex, leafHash } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Genesis } from '@assay/core/kind/genesis';
import { parsePrint, type Print, PRINT_BYTES, seriesId } from '@assay/core/report/print';
import { statementMessage } from '@assay/core/report/statement';
import { formatDate } from '@assay/core/time/time';
import type { EvidenceNeeds } from './evidence-check.ts';
import { genesisIn } from './evidence-tree.ts';
import { type Accused, demand, orUnproven, type Proven, THIEF } from './evidence-verdict.ts';

/** Two prints by one key for one place. Throws `Unproven`. */
export async function provenPrints(
  evidence: PrintsEvidence,
  needs: EvidenceNeeds,
): Promise<Proven> {
  const { key, first, second } = evidence;
  demand(first.message < second.message, 'format', 'first, second: ascending by their messages');
  const [a, b] = [parseHex(first.message, PRINT_BYTES), parseHex(second.message, PRINT_BYTES)];
  const prints = orUnproven('format', 'message', () => [parsePrint(a), parsePrint(b)] as const);
  demand(printsContradict(a, b), 'consistent', 'the two prints may both stand');
  await demandSignature(key, a, first.signature, needs);
  await demandSignature(key, b, second.signature, needs);
  const { series, period } = prints[0];
  const log = shownSeries(evidence, series, needs);
  const publisher = log?.genesis.report_key === key;
  const accused: Accused = publisher
    ? { role: 'publisher', key, name: log.genesis.origin }
    : { role: 'signer', key, name: null };
  return {
    log: log?.id ?? null,
    accused: [accused],
    says: `one key signed two prints for one place of ${evidence.log?.ticker ?? `series ${series}`}, ${periodText(period)}: ${printText(prints[0])}; ${printText(prints[1])}`,
    shown: 'signatures of one key over two print messages of one series, period and place',
    open: [
      log === null
        ? 'which log and index the series is of: the file does not show it'
        : `whether ${log.id} is the id of the log that you rely on`,
      ...(publisher
        ? []
        : [
            "whose key it is: a co-signer's, which a set of the log names, or a later report key of its publisher, which `key/1` entries lead to from entry 0: `assay verify` of the log checks them, and its signer document lists them under `keys`",
          ]),
      THIEF,
    ],
  };
}

/** Two statements of one co-signer that exclude each other. Throws `Unproven`. */
export async function provenStatements(
  { first, second }: StatementsEvidence,
  needs: EvidenceNeeds,
): Promise<Proven> {
  const [a, b] = [first.statement, second.statement];
  demand(isOrdered(a, b), 'format', 'first, second: ascending by the statements');
  demand(statementsContradict(a, b), 'consistent', 'the two statements may both stand');
  for (const { statement, signature } of [first, second]) {
    await demandSignature(statement.cosigner, statementMessage(statement), signature, needs);
  }
  const { cosigner: key, log } = a;
  return {
    log,
    accused: [{ role: 'cosigner', key, name: null }],
    says:
      a.report === b.report
        ? `one co-signer agreed to report ${a.report} and dissented from it`
        : `one co-signer agreed to two prints for one place, of reports ${a.report} and ${b.report}`,
    shown: 'signatures of one key over two statements on one log',
    open: [`whose key it is: a co-signer set of log ${log} names it`, THIEF],
  };
}

async function demandSignature(
  key: string,
  message: Uint8Array,
  signature: string,
  { verifySignature }: EvidenceNeeds,
): Promise<void> {
  const good = await verifySignature(parseHex(key, 32), message, parseHex(signature, 64));
  demand(good, 'signature', `a signature that is none of ${key}`);
}

/** The log whose series it is, where the file shows it. The series derives from the log's id. */
function shownSeries(
  { log }: PrintsEvidence,
  series: HashHex,
  { sha256 }: EvidenceNeeds,
): { readonly id: HashHex; readonly genesis: Genesis } | null {
  if (log === null) return null;
  const bytes = parseBase64(log.genesis);
  const genesis = genesisIn(bytes);
  const id = hashHex(leafHash(sha256, bytes));
  const own = formatHex(seriesId(sha256, id, log.ticker));
  demand(own === series, 'genesis', `log: ${log.ticker} of log ${id} is another series`);
  return { id, genesis };
}

function printText({ status, issue, value, decimals, withheld }: Print): string {
  const place = status === 'final' || status === 'void' ? status : `${status} ${issue}`;
  if (status === 'void') return place;
  return withheld ? `${place}, withheld` : `${place}, ${value} with ${decimals} decimals`;
}

function periodText(period: number): string {
  try {
    return formatDate(period);
  } catch {
    return `day ${period}`;
  }
}
