import { page, table } from './markdown.ts';

/** The pages of the reference, and what else says more of each. */
export function indexPage(): string {
  return page('Reference', [
    'Short tables of everything that has a fixed name. They are for looking something up; the pages beside them explain.',
    table(
      ['page', 'what it lists', 'what explains it'],
      [
        [
          '[Commands](commands.md)',
          'every command of `assay` with its options, examples and exit codes',
          '[verifying](../verify.md), [publishing](../publish.md), [recounting](../recount.md)',
        ],
        [
          '[Routes](routes.md)',
          'every route of the API with its parameters and problems',
          '[the API](../api.md)',
        ],
        [
          '[Errors](errors.md)',
          'problem codes of the API, exit codes of the commands, and codes of faults',
          '[the API](../api.md#errors), [the runbook](../runbook.md)',
        ],
        [
          '[Findings](findings.md)',
          'everything that a verifier and a watch can find wrong, and what to do about it',
          '[verifying](../verify.md)',
        ],
        ['[Metrics](metrics.md)', 'what a node counts, for Prometheus', '[alarms](../publish.md)'],
        [
          '[Configuration](config.md)',
          'what each field of a configuration takes, and its default',
          '[a node](../config.md), [a recounter](../recount.md)',
        ],
        [
          '[Kinds of entries](kinds.md)',
          'what a log can hold',
          '[the specification](../spec/entry.md)',
        ],
      ],
    ),
    'The terms are in the [glossary](../glossary.md).',
  ]);
}
