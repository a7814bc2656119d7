// A reporter for tap: one line for each entry as it ends. What failed in it, `results.js` reads from what tap keeps.
import { Transform } from 'node:stream';

export default class Reporter extends Transform {
  #rest = '';

  _transform(chunk, _, done) {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      const point =
        /^((?:not )?ok) \d+ - test\/dist\/entry\/\d\d-(\S+)\.js(?:.* # time=([\d.]+)ms)?/.exec(
          line,
        );
      if (point !== null)
        this.push(`${point[1].padEnd(7)}${point[2]} (${(point[3] / 1000).toFixed(1)} s)\n`);
    }
    done();
  }
}
