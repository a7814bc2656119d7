import { table } from '../markdown.ts';
import { type Counts, WEEK_SPANS } from './counts.ts';
import { LOTTERIES } from './lotteries.ts';
import { SPELLS } from './spells.ts';
import { EFFECTS, type Plan, type Power } from './plan.ts';
import { REGIMES } from './regimes.ts';

/** The study after a year. */
const YEAR_NUMBER = 11;
/** The groups whose own power is shown: those with most events. */
const SHOWN_GROUPS = [
  'down_15/alone',
  'down_15/some',
  'down_15/broad',
  'up_15/alone',
  'up_15/some',
  'up_15/broad',
];

/** What the page says of simulated markets. */
export function simulatedSection(counts: Counts, plan: Plan): string {
  const rate = (pattern: string): string => percent(counts.of(pattern));
  const both = (pattern: (version: 1 | 2) => string): readonly string[] => [
    rate(pattern(1)),
    rate(pattern(2)),
  ];
  const { of, hits } = counts.of('events|2|80|365');
  return `### Where nothing is there

${plan.null2} simulated markets of 80 assets and 365 days, with the seeds 0 to ${plan.null2 - 1}; version 1 takes seconds for each and has the first ${plan.null1}.
On average ${Math.round(hits / of)} events of a market are in a group. The true edge of every group is 0.

${table(
  ['', 'accepted', 'version 1', 'version 2'],
  [
    ['simulated markets', '', String(plan.null1), String(plan.null2)],
    ['a "95 %" interval misses the truth', '3 to 7 %', ...both((v) => `miss|${v}|80|365|*|*|*`)],
    [
      'the same, of groups large enough for a rate of their version',
      '',
      ...both((v) => `miss|${v}|80|365|*|*|sized`),
    ],
    [
      "some group holds: in a log's first study",
      'at most 5 %',
      ...both((v) => `holds|${v}|80|365|1|0|any`),
    ],
    [
      'some group holds: in the study after a year',
      'at most 5 %',
      ...both((v) => `holds|${v}|80|365|${YEAR_NUMBER}|0|any`),
    ],
    [
      `some group holds: in any of the ${YEAR_NUMBER} monthly studies of a year`,
      'at most 5 %',
      ...both((v) => `year|${v}|80|365|holds`),
    ],
    [
      'some group passes the test that all groups share, in any of them',
      'at most 3.9 %',
      '',
      rate('year|2|80|365|passes'),
    ],
  ],
)}

How often an interval misses, by the number of weeks that its events are of:

${table(
  ['weeks', 'version 1', 'version 2'],
  WEEK_SPANS.map(([words]) => [words, ...both((v) => `miss|${v}|80|365|*|${words}|*`)]),
)}

And by the kind of market: whether assets follow it alike, drift on their own, and are delisted.

${table(
  ['market', 'version 1', 'version 2'],
  REGIMES.map(({ name }) => [name, ...both((v) => `miss|${v}|80|365|${name}|*|*`)]),
)}

### Lopsided and lasting returns

In the first rows each event's week has a rare and large return, and all others pay for it, so that the mean is 0. In the last two, what all events of a week have in common goes on in the weeks after it. ${plan.lopsided} of the markets above for each row. Until the rare return comes, a mean is on the wrong side. A group may hold only if it would with two more events against it, as large as the largest of the study; the last column says what would hold without that. It is not enough where a rare return comes to all events of a week at once and has not come at all, and it cannot be: no test can know of what never happened. Nor does a year have enough of what lasts for months.

${table(
  [
    'what is rare, or lasts',
    'a "95 %" interval misses',
    `some group holds in any of the ${YEAR_NUMBER} studies of a year`,
    'without two events against it',
  ],
  [...LOTTERIES, ...SPELLS].map(({ name }, i) => [
    name,
    rate(`lopsided|${i}|miss`),
    rate(`lopsided|${i}|holds`),
    rate(`lopsided|${i}|alone`),
  ]),
)}

### What could be found

The same markets, in which every event adds a stated number of percentage points to the week after it, in every group. How often some group holds (the row of 0 points of 80 assets and one year is of all markets above):

${powerTable(counts, plan.power)}

${foundWords(counts)}
Version 1 sees smaller effects sooner, because it asks for less, and takes chance for an effect more often. It gives no rate of groups with fewer than 50 events, so that it finds less where effects are large.

How often one given group holds, in a year of 80 assets: version 1, then version 2.

${table(
  ['effect', ...SHOWN_GROUPS],
  EFFECTS.map((effect) => [
    pointsOf(effect),
    ...SHOWN_GROUPS.map((group) =>
      both((v) => `holds|${v}|80|365|${YEAR_NUMBER}|${effect}|${group}`)
        .map((share) => share.replace(/ \(.*/, ''))
        .join(' · '),
    ),
  ]),
)}
`;
}

function powerTable(counts: Counts, power: readonly Power[]): string {
  const columns = power.flatMap(({ assets, days, version1, version2 }) => [
    ...(version1 > 0 ? [{ assets, days, version: 1, markets: version1 }] : []),
    { assets, days, version: 2, markets: version2 },
  ]);
  return table(
    [
      'effect',
      ...columns.map(
        ({ assets, days, version, markets }) =>
          `${assets} assets, ${yearsOf(days)}, version ${version} (${markets} markets)`,
      ),
    ],
    EFFECTS.map((effect) => [
      pointsOf(effect),
      ...columns.map(({ assets, days, version }) =>
        percent(
          counts.of(`holds|${version}|${assets}|${days}|${numberAfter(days)}|${effect}|any`),
        ).replace(/ \(.*/, ''),
      ),
    ]),
  );
}

/** From which effect on some group is found in half of the markets, and in nine of ten. */
function foundWords(counts: Counts): string {
  const from = (assets: number, days: number, share: number): string => {
    const found = EFFECTS.find((effect) => {
      const { of, hits } = counts.of(
        `holds|2|${assets}|${days}|${numberAfter(days)}|${effect}|any`,
      );
      return effect > 0 && of > 0 && hits >= share * of;
    });
    return found === undefined ? 'at none of these effects' : `from ${pointsOf(found)} on`;
  };
  const words = (assets: number, days: number): string =>
    `In ${yearsOf(days)} of ${assets} assets version 2 finds some group at least every other time ${from(assets, days, 0.5)}, and nine times in ten ${from(assets, days, 0.9)}.`;
  return `${words(80, 365)} ${words(350, 365)} Here every group has the effect, so that there are many chances to find one; one group by itself is found less often.`;
}

/** The number of the study of a whole panel: its first is of the third month after its beginning. */
function numberAfter(days: number): number {
  return days === 365 ? YEAR_NUMBER : YEAR_NUMBER + 24;
}

function yearsOf(days: number): string {
  return days === 365 ? 'one year' : 'three years';
}

function pointsOf(effect: number): string {
  return `${effect / 100} points`;
}

function percent({ of, hits }: { readonly of: number; readonly hits: number }): string {
  return of === 0 ? '' : `${((100 * hits) / of).toFixed(digitsOf(hits / of))} % (${hits} of ${of})`;
}

function digitsOf(share: number): number {
  return share > 0 && share < 0.0005 ? 4 : 1;
}
