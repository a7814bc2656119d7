import { literal, object, string } from '../../wire/schema.ts';
import { parseXml } from '../../source/xml.ts';
import { type Operation, take } from '../operation.ts';

export interface XmlStep {
  readonly op: 'xml';
  /** The names from the root to the elements that become rows: `/list/item`. */
  readonly rows: string;
}

/** Turns XML text into rows: a record for each element at `rows`, with its children by name. */
export const xml: Operation<XmlStep> = {
  op: 'xml',
  parse: object<XmlStep>({
    op: literal('xml'),
    rows: string(2, 256, /^(\/[A-Za-z_:][A-Za-z0-9_:.-]*)+$/),
  }),
  run(step, input, { work }) {
    const { text } = take('xml', input, 'text');
    return {
      type: 'rows',
      rows: parseXml(text, step.rows.slice(1).split('/'), work),
      columns: null,
    };
  },
};
