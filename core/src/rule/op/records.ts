import { literal, object } from '../../wire/schema.ts';
import { parseSourceJson, type SourceRecord, sourceRoom } from '../../source/source-json.ts';
import { type Operation, take } from '../operation.ts';
import { pageText } from '../page-text.ts';
import { pointer } from '../pointer.ts';
import { ReadStopped } from '../value.ts';
import { recordsAt } from './rows.ts';

export interface RecordsStep {
  readonly op: 'records';
  readonly ptr: string;
}

/** The records at `ptr` of each page, in the order of the pages. Each page is a JSON text of its own. */
export const records: Operation<RecordsStep> = {
  op: 'records',
  parse: object<RecordsStep>({ op: literal('records'), ptr: pointer }),
  run(step, input, { work }) {
    const { pages } = take('records', input, 'pages');
    if (pages.length === 0) throw new ReadStopped('malformed', 'records takes a page');
    // All pages share this room for arrays and objects, of which there are at least as many as rows.
    const room = sourceRoom();
    const rows: SourceRecord[] = [];
    for (const page of pages) {
      for (const row of recordsAt(parseSourceJson(pageText(page), work, room), step.ptr))
        rows.push(row);
    }
    return { type: 'rows', rows, columns: null };
  },
};
