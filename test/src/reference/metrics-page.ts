import { METRICS } from '@assay/node/platform/metric-table';
import { code, codes, inline, page, sentence, table } from './markdown.ts';

/** What a node and a recounter count, for Prometheus. */
export function metricsPage(): string {
  const rows = Object.entries(METRICS).sort(([a], [b]) => (a < b ? -1 : 1));
  return page('Metrics', [
    "What `/metrics` has, in Prometheus' text format. A node serves it at an address of its own ([config.md](../config.md), `metrics_port`). [publish.md](../publish.md) says on which of them to raise an alarm.",
    'A metric is there as soon as the part that it is about runs: without a machine tier there is none of payments, for example. A recounter has those of its log, its storage, its requests and its own statements. The process itself has the usual metrics of Node beside these, whose names begin with `process_` and `nodejs_`.',
    table(
      ['metric', 'type', 'labels', 'what it counts'],
      rows.map(([name, { type, labels, help }]) => [
        code(name),
        type,
        codes(labels),
        inline(sentence(help)),
      ]),
    ),
  ]);
}
