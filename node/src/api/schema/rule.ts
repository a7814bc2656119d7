import { z } from 'zod';
import type { RulePayload } from '@assay/core/answer/rule';
import { ROUNDINGS } from '@assay/core/number/rational';
import { PERIOD_KINDS } from '@assay/core/rule/period';
import { ZONES } from '@assay/core/rule/release';
import { GRADES, RETAINS, ROLES, RULE_SPECS, type Rule, TEXTS } from '@assay/core/rule/rule';
import { GRADE_WORDS } from './index.ts';
import { NETWORKS } from '@assay/core/network';
import {
  about,
  dateText,
  decimalText,
  hashText,
  integerText,
  linkText,
  named,
  type Plain,
} from './field.ts';

/** The arguments of a step are those of its operation: docs/spec/rule.md has each. */
type OpenSteps<T> = T extends readonly { readonly op: string }[]
  ? readonly Readonly<Record<string, unknown>>[]
  : T extends object
    ? { readonly [K in keyof T]: K extends 'paging' ? object : OpenSteps<T[K]> }
    : T;

const steps = z.array(z.record(z.string(), z.unknown()));

const provider = named(
  z.looseObject({
    id: about(z.string(), 'Its id, as reports name it.', 'dol-press'),
    name: about(z.string(), 'The name of the provider.', 'DOL press release'),
    group: about(z.string(), 'The population that it counts; reads are compared within it.', 'us'),
    role: about(
      z.enum(ROLES),
      '`record`: the number of record. `mirror`, `custody`: a copy, which counts toward the quorum. `check`: compared and shown, never counts.',
      'record',
    ),
    retain: about(
      z.enum(RETAINS),
      'What the terms let the log keep of an answer: its `bytes`, its `hash`, or `none`.',
      'bytes',
    ),
    request: about(
      z.looseObject({
        method: about(z.enum(['GET', 'POST']), 'The HTTP method.', 'GET'),
        url: about(
          z.string(),
          'What is asked. `{...}` is a placeholder for what depends on the period, `{secret:NAME}` for a key that is never stored.',
          'https://oui.doleta.gov/unemploy/weeklyRedirect.php',
        ),
        headers: about(
          z.array(
            z.looseObject({
              name: about(z.string(), 'In lower case.', 'accept'),
              value: about(z.string(), 'As sent.', 'application/pdf'),
            }),
          ),
          'Headers that are sent.',
        ),
        body: about(z.string().nullable(), 'The body of a POST; null without one.', null),
        follow: about(z.array(z.string()), 'Hosts that a redirect may lead to; none when empty.', [
          'oui.doleta.gov',
        ]),
        paging: about(
          z.record(z.string(), z.unknown()),
          'How an answer in pages is read on; `kind` is `none` for a single page. docs/spec/rule.md has the others.',
          { kind: 'none' },
        ),
      }),
      'How it is asked.',
    ),
    text: about(z.enum(TEXTS), 'What takes text from the answer before the steps begin.', 'pdf'),
    extract: about(
      steps,
      'The steps that make a number of the text, one after the other: `op` names the operation, the other members are its arguments. docs/spec/rule.md has each.',
      [{ op: 'utf8' }, { op: 'json' }],
    ),
    checks: about(
      z.array(
        z.looseObject({
          name: about(z.string(), 'Its name.', 'table'),
          extract: about(steps, 'Its steps.', [{ op: 'utf8' }, { op: 'json' }]),
        }),
      ),
      'Other places of the same document that must give the same number.',
    ),
  }),
  'Provider',
  'One place where the number is read, and how.',
);

const rule: z.ZodType<OpenSteps<Plain<Rule>>> = named(
  z.looseObject({
    spec: about(z.enum(RULE_SPECS), 'The format.', 'assay-rule/1'),
    network: about(
      z.enum(NETWORKS),
      'A development rule is void on a production log.',
      'production',
    ),
    ticker: about(z.string(), 'The index, in capitals.', 'LAYOFFS'),
    display: about(z.string(), 'The ticker as the API shows it.', 'LAYOFFS'),
    slug: about(z.string(), 'Another name for addresses.', 'layoffs'),
    version: about(z.int(), 'Counts the versions of the rule from 1.', 1),
    applies_from: about(dateText, 'The first period under this version.', '2026-09-12'),
    title: about(
      z.string(),
      'A description of what is counted.',
      'US initial jobless claims, seasonally adjusted',
    ),
    unit: about(z.string(), 'What one is one of.', 'claims'),
    format: about(z.enum(['count', 'usd', 'percent']), 'How to show a value.', 'count'),
    decimals: about(z.int().min(0).max(18), 'Decimals of every value.', 0),
    precision: about(
      decimalText,
      "The smallest step that the source publishes, in the index's unit: spacing for strikes, never a rounding.",
      '1000',
    ),
    period: about(
      z.enum(PERIOD_KINDS),
      'How time is divided: weeks named by their Saturday, days (UTC), months named by their first day.',
      'week_ending_saturday',
    ),
    release: about(
      z.looseObject({
        zone: about(z.enum(ZONES), 'The time zone of `local`.', 'America/New_York'),
        local: about(z.string(), 'The hour on the wall clock there, HH:MM.', '08:30'),
        days_after: about(
          z.int(),
          'Days from the first day after the period to the day of release.',
          4,
        ),
        exceptions: about(
          z.array(
            z.looseObject({
              period: about(dateText, 'The period.', '2026-11-21'),
              date: about(dateText, 'The day of its release.', '2026-11-25'),
            }),
          ),
          'Releases that were moved, holidays above all.',
        ),
        deadline_s: about(
          z.int(),
          'Seconds after the release; a period whose number has not come by then is void.',
          1209600,
        ),
        first_print_within_s: about(
          z.int(),
          'Seconds after the release in which a read may still be a first print.',
          604800,
        ),
        late: about(
          z
            .union([
              z.looseObject({ kind: about(z.literal('void'), 'Void at the deadline.', 'void') }),
              z.looseObject({
                kind: about(
                  z.literal('from_publication'),
                  'Clocks that run from the publication.',
                  'from_publication',
                ),
                within_s: about(
                  z.int(),
                  'Seconds after the release from which the period is void where no quorum saw a number in time.',
                  5184000,
                ),
              }),
            ])
            .exactOptional(),
          'Of a rule of `assay-rule/2`, what happens to a number that is published later than that: its period is void, or its clocks run from the publication which a quorum of co-signers saw, and it is void `within_s` seconds after the release where they saw none. A rule of `assay-rule/1` has no such member, and means the first.',
        ),
      }),
      'When the source gives out the number.',
    ),
    source: about(
      z.string(),
      'Who publishes the number.',
      'U.S. Department of Labor, weekly claims',
    ),
    providers: about(z.array(provider), 'Where it is read.'),
    aggregate: about(
      z.looseObject({
        round: about(z.enum(ROUNDINGS), 'How a value with more decimals is rounded.', 'half_away'),
        within: about(
          z.enum(['equal', 'median']),
          "`equal`: the record's value, all within `max_dispersion`. `median`: the median of the reads that count.",
          'equal',
        ),
        across: about(
          z.enum(['single', 'sum']),
          '`sum`: each group is a population of its own, and the number is their sum.',
          'single',
        ),
        quorum: about(z.int(), 'Reads of each group that must agree.', 2),
        max_dispersion: about(
          integerText,
          'Largest allowed difference between two reads of a group, scaled.',
          '0',
        ),
      }),
      'How the reads of a period become one number.',
    ),
    revision: about(
      z.looseObject({
        settles: about(
          z.literal('first_published'),
          'The number as first published settles, whatever the source says later.',
          'first_published',
        ),
        freeze_after_s: about(
          z.int(),
          'Seconds after the release in which the source may still correct its first print.',
          7200,
        ),
        provider: about(
          z.string().nullable(),
          'The provider whose later figures are shown as `revised`; null: none are.',
          'dol-press',
        ),
      }),
      'What later figures of the source do.',
    ),
    baseline: about(
      z.looseObject({
        window: about(z.int(), 'The most settlement values that `z` is computed from.', 52),
        min: about(z.int(), 'Fewer than these: `z` is null.', 26),
        split: about(
          z.enum(['none', 'weekday']),
          '`weekday`: only those of the same day of the week.',
          'none',
        ),
      }),
      'What `z` is measured against.',
    ),
    bands: about(
      z.array(
        z.looseObject({
          name: about(z.string(), 'The name of the band.', 'normal'),
          from_z: about(z.string(), 'The smallest z that it holds.', '-1.4'),
        }),
      ),
      'Words for `z`, from the bottom up.',
    ),
    grade: about(z.enum(GRADES), GRADE_WORDS, 'A'),
    rights: about(
      z.looseObject({
        terms_url: about(
          linkText,
          "The page of the source's terms.",
          'https://www.dol.gov/general/aboutdol/copyright',
        ),
        clause: about(
          z.string(),
          'The text of the terms that allows this use.',
          'Information presented on this website is considered public information and may be distributed or copied.',
        ),
        clause_sha256: about(
          hashText,
          'SHA-256 of that text.',
          '095d5609b47cce92b562e84a4a471a1d3f2aae550ba374b6e096969f948951f0',
        ),
        retrieved: about(dateText, 'The day on which the terms were read.', '2026-09-01'),
        level: about(
          z.enum(['publish', 'withhold']),
          'Whether the terms let the level be published.',
          'publish',
        ),
        settlement: about(z.enum(['yes', 'no']), 'Whether they allow settlement on it.', 'yes'),
        attribution: about(
          z.string(),
          'How the source wants to be named.',
          'Source: U.S. Department of Labor',
        ),
      }),
      'What the terms of the source allow.',
    ),
    tie: about(
      z.looseObject({
        op: about(
          z.enum(['ge', 'gt']),
          '`ge`: a print equal to the strike is a yes. `gt`: it is a no.',
          'ge',
        ),
        text: about(
          z.string(),
          'The same as text for people.',
          'A print equal to the strike is at or above it.',
        ),
      }),
      'How a print equal to the strike is read.',
    ),
    listing: about(
      z.looseObject({
        no_kit: about(
          z.string().nullable(),
          'Why no listing kit is offered; null where one is.',
          null,
        ),
        question: about(
          z.string(),
          'The question of a market, with `{period}` and `{strike}` left open.',
          'Will US initial jobless claims for the week ending {period} be at or above {strike}?',
        ),
        strike_step: about(decimalText, "Space between two strikes, in the index's unit.", '5000'),
        strikes: about(z.int(), 'Strikes to each side of the one nearest to the newest value.', 3),
      }),
      'What a market on the next print would ask.',
    ),
  }),
  'Rule',
  'The whole of how a number is made.',
);

export const ruleAnswer: z.ZodType<
  Omit<Plain<RulePayload>, 'rule'> & { readonly rule: OpenSteps<Plain<Rule>> }
> = named(
  z.looseObject({
    ticker: about(
      z.string(),
      'The name in addresses; the four monthly ones are lower case.',
      'LAYOFFS',
    ),
    version: about(z.int(), 'Version of the rule in force for the newest period.', 1),
    applies_from: about(dateText, 'The first period under that version.', '2026-09-12'),
    hash: about(
      hashText,
      'SHA-256 of the UTF-8 bytes of `canonical`; every report names it.',
      '77350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e',
    ),
    canonical: about(
      z.string(),
      'The exact bytes of the rule, as text: hash these, never `rule` written anew.',
      '{"aggregate":{"across":"single"}}',
    ),
    rule: about(rule, 'The rule, read from those bytes.'),
    versions: about(
      z.array(
        z.looseObject({
          version: about(z.int(), 'The version.', 1),
          applies_from: about(dateText, 'The first period under it.', '2026-09-12'),
          hash: about(
            hashText,
            'SHA-256 of its exact bytes.',
            '77350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e',
          ),
          seq: about(z.int(), 'The entry of the log that brought it.', 1),
        }),
      ),
      'Every version, oldest first. Exactly one applies to a period.',
    ),
  }),
  'RuleAnswer',
  'The rule in force, its exact bytes, and every version.',
);
