import type { Verdict } from '@assay/verifier/verdict';
import { paint, type Terminal } from './terminal.ts';

const TRUST_WORDS = {
  policy: 'the key that you named',
  pinned: 'the key and history pinned on an earlier visit',
  first_use:
    'first_use: nobody vouched for this key; it is pinned now, and the next visit is held to it',
} as const;

/** A verdict in words. */
export function verdictText(verdict: Verdict, terminal: Terminal): readonly string[] {
  const lines: string[] = [];
  switch (verdict.outcome) {
    case 'verified':
      lines.push(paint(terminal, 'green', 'VERIFIED'));
      break;
    case 'findings':
      lines.push(
        paint(terminal, 'red', `NOT VERIFIED: ${count(verdict.findings_count, 'finding')}`),
      );
      break;
    case 'incomplete':
      lines.push(paint(terminal, 'yellow', 'NOT COMPLETED'), `  ${verdict.reason}`);
      break;
  }
  if (verdict.outcome === 'findings') {
    for (const { code, place, expected, found } of verdict.findings.slice(0, 20)) {
      lines.push('', `  ${paint(terminal, 'bold', code)}  ${place}`);
      lines.push(`    expected  ${expected}`, `    found     ${found}`);
    }
    const rest = verdict.findings_count - 20;
    if (rest > 0) lines.push('', `  and ${rest} more (--json lists them)`);
    lines.push('');
  }
  if (verdict.outcome === 'verified' && verdict.number !== null) {
    const { ticker, period, status, value, unit, settleable } = verdict.number;
    const shown = value === null ? status : `${value} ${unit}, ${status}`;
    lines.push(row('number', `${ticker} ${period}: ${shown}`));
    lines.push(row('settleable', settleable ? 'yes, by its rule' : 'no'));
    lines.push(row('report', verdict.number.report_hash));
    lines.push(row('rule', verdict.number.rule_hash));
  }
  if (verdict.outcome !== 'incomplete' && verdict.log !== null) {
    const { origin, network, size, root, checkpoint_vkey: vkey } = verdict.log;
    lines.push(row('log', `${origin}, ${count(size, 'entry', 'entries')}`), row('root', root));
    lines.push(row('key', vkey));
    if (verdict.trust !== null) lines.push(row('trust', TRUST_WORDS[verdict.trust]));
    if (network === 'development') {
      const words = 'development: nothing here may be settled on';
      lines.push(row('network', paint(terminal, 'yellow', words)));
    }
  }
  const { checked } = verdict;
  lines.push(
    row(
      'checked',
      [
        count(checked.entries, 'entry', 'entries'),
        count(checked.tiles, 'tile'),
        count(checked.reports, 'report'),
        count(checked.signatures, 'signature'),
        `${count(checked.reads_reexecuted, 'read')} run again`,
        count(checked.revisions, 'revision'),
        count(checked.blobs, 'blob'),
        ...(checked.api_answers > 0 ? [count(checked.api_answers, 'API answer')] : []),
        ...(checked.view_rows > 0 ? [count(checked.view_rows, 'view row')] : []),
      ].join(', '),
    ),
  );
  for (const { what, why } of verdict.not_checked) {
    lines.push(row('not checked', `${what}: ${why}`));
  }
  return lines;
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(12)}${text}`;
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
