import { entryBody, scanEntry } from '@assay/core/log/entry';
import { parseHex } from '@assay/core/bytes/hex';
import { bodyParser } from '@assay/core/kind/kinds';
import { parsePrint, PRINT_BYTES } from '@assay/core/report/print';
import { formatDate } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const parseBody = bodyParser(nodeSha256);

/** What an entry that rounds make is about, and what it says of that in numbers; undefined for any other. */
export function labelOf(bytes: Uint8Array): readonly [label: string, says: string] | undefined {
  const layout = scanEntry(bytes);
  const known = parseBody(layout.kind, entryBody(bytes, layout));
  switch (known?.kind) {
    case 'report/1': {
      const { report } = known.body;
      const { ticker, period, status, issue, value, z, band, dispersion, settleable, reason } =
        report;
      const says = { value, z, band, dispersion, settleable, reason, rule: report.rule };
      return [`report ${ticker} ${period} ${status} ${issue}`, JSON.stringify(says)];
    }
    case 'close/1': {
      const { content, version } = known.body;
      // Which periods it has, the verifier derives again: a node that could not print one closes the one before.
      return [`close ${content.day} ${version}`, ''];
    }
    case 'index/1':
      // What it counts, the verifier counts again.
      return [`index ${known.body.day}`, ''];
    case 'revision/1': {
      const { ticker, read_for: of, rows } = known.body;
      return [`revision ${ticker} ${of}`, JSON.stringify(rows)];
    }
    case 'cosign/1':
    case 'dissent/1':
    case 'statement/1': {
      const { print, verdict, own } = known.body.statement;
      const { period, status, issue, value } = parsePrint(parseHex(print, PRINT_BYTES));
      // Which of two indexes: they share no level.
      const of = `${formatDate(period)} ${status} ${issue} ${value}`;
      const says = `${verdict} ${own?.value ?? null}`;
      return [`${known.kind} ${of}`, says];
    }
    case 'tick/1':
      return [`tick ${known.body.class} ${known.body.ts}`, `${known.body.size}`];
    default:
      return undefined;
  }
}
