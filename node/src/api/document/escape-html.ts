const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands between tags and inside of a quoted attribute (HTML, 13.1.2.3 and 13.3). */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (each) => ENTITIES[each] ?? '');
}
