import { ANNOUNCED_KINDS, RELEASE } from '@assay/core/kind/announced';
import { KIND_MEANINGS } from '@assay/core/kind/kind-meaning';
import { code, inline, page, table } from './markdown.ts';

/** The kinds of entries that this release reads, and those that it announces. */
export function kindsPage(): string {
  const rows = Object.entries(KIND_MEANINGS);
  return page('Kinds of entries', [
    `An entry of a log has a kind, which says what its body means. Release ${RELEASE} reads these ${rows.length}; the [specification](../spec/entry.md) has each to the byte.`,
    table(
      ['kind', 'what it is', 'specification'],
      rows.map(([kind, { meaning, page: place }]) => [
        code(kind),
        inline(meaning),
        `[${place.replace(/#.*/, '')}](../spec/${place})`,
      ]),
    ),
    announced(),
  ]);
}

function announced(): string {
  const how =
    'A kind is announced one release before the first that writes it ([compatibility](../compatibility.md#kinds-are-announced)).';
  if (ANNOUNCED_KINDS.size === 0) return `${how} This release announces none.`;
  const rows = [...ANNOUNCED_KINDS].map(([kind, since]) => [code(kind), since]);
  return `${how}\n\n${table(['announced kind', 'first release that reads it'], rows)}`;
}
