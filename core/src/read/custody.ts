import type { Snapshot } from './snapshot.ts';

/**
 * Whether a custody copy has other content than the record of its group: other text where text was taken from both,
 * otherwise other pages. An answer other than 200 has no content, and a copy whose record has none is not compared.
 */
export function copyDiffers(record: Snapshot | undefined, copy: Snapshot): boolean {
  if (record === undefined || !hasContent(record) || !hasContent(copy)) return false;
  if (record.extractor !== null && copy.extractor !== null) {
    return record.extractor.text_sha256 !== copy.extractor.text_sha256;
  }
  const [own, others] = [record.pages, copy.pages];
  return own.length !== others.length || own.some((page, i) => page.sha256 !== others[i]?.sha256);
}

function hasContent({ pages }: Snapshot): boolean {
  return pages.every(({ status }) => status === 200);
}
