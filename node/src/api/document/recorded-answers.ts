/** What one operation of the API answered in a run of fixture services (`npm run examples`). */
export interface RecordedOperation {
  /** An example of each parameter. Each was answered with 200. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Bodies by status and media type, or by status and code of a problem: `200 application/json`, `404 not_found`. Lists are cut. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** The body that was sent. */
  readonly sent?: unknown;
}

/** By operation. `npm run examples` writes this; a test compares it with another run. */
export const RECORDED: Readonly<Record<string, RecordedOperation>> = {
  changeSubscription: {
    parameters: {},
    answers: {
      '200 application/json': {
        id: '4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d',
        email: 'desk@venue.example.com',
        url: 'https://hooks.venue.example.com/hook',
        types: ['print', 'close'],
        tickers: ['LAYOFFS'],
        symbols: null,
        filter_version: 1,
        created_at: '2026-08-01T00:00:00Z',
        state: 'active',
        reason: null,
        cursor: {
          seq: 4,
          ordinal: 0,
        },
        failing: null,
        deliveries: [],
      },
    },
    sent: {
      types: ['print', 'close'],
      tickers: ['LAYOFFS'],
    },
  },
  confirmWebhook: {
    parameters: {
      token: 'Zq3xH1m8oC0sV4Yd7uKp2bRw5tJn9aLe6gFi1cMh3vE',
    },
    answers: {
      '200 application/json': {
        ok: true,
        secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'No challenge waits under that token. It may have been used, or be too old.',
        instance: '/webhooks/confirm',
        error: 'not_found',
      },
    },
  },
  getArena: {
    parameters: {
      ticker: 'layoffs',
      limit: '20',
    },
    answers: {
      '200 application/json': {
        generated_at: '2026-08-05T02:00:02Z',
        rules: {
          points:
            'round(100 × max(0, 1 − absolute percent error ÷ 25%)), graded on the number as first published',
          ranked_from: 3,
          arena_number:
            'Arena, not official: the points-weighted mean of the 10 best ranked handles that answered, frozen at the close. House handles have no part in it.',
          submit:
            'POST /v1/arena/forecast with a JSON body, or the MCP tool submit_forecast. The command assay forecast make seals the forecast first.',
          caveats:
            'Sealed forecasts open with a round of drand. Enough members of the League of Entropy together could open them earlier, and so could a quantum computer. If drand stops, the round is void. A forecast that is not sealed can be read by the operator before the close.',
          rule: 'f5af704d78f98fd99b3f390f3c3dc0eb0cbde07aeaade246c5e7aa37f7e3c5ae',
        },
        open: [
          {
            id: 'layoffs-2026-08-04',
            ticker: 'LAYOFFS',
            slug: 'layoffs',
            name: 'US initial unemployment claims, seasonally adjusted, first print',
            statement: 'What will LAYOFFS be for 2026-08-04, as first published?',
            unit: 'claims',
            format: 'count',
            decimals: 0,
            step: 1,
            period: '2026-08-04',
            ref_period: '2026-08-03',
            ref_value: 1000,
            opens_at: '2026-08-05T01:30:00Z',
            closes_at: '2026-08-05T07:30:00Z',
            drand_round: 101703,
            opens_forecasts_at: '2026-08-05T07:31:00Z',
            state: 'open',
            forecasts: 1,
            arena: null,
            print: null,
            void_reason: null,
            house: [
              {
                handle: 'house-last',
                value: 1000,
              },
            ],
            url: '/v1/arena/rounds/layoffs-2026-08-04',
          },
        ],
        recent: [
          {
            id: 'layoffs-2026-08-03',
            ticker: 'LAYOFFS',
            slug: 'layoffs',
            name: 'US initial unemployment claims, seasonally adjusted, first print',
            statement: 'What will LAYOFFS be for 2026-08-03, as first published?',
            unit: 'claims',
            format: 'count',
            decimals: 0,
            step: 1,
            period: '2026-08-03',
            ref_period: '2026-08-02',
            ref_value: 1100,
            opens_at: '2026-08-04T01:30:00Z',
            closes_at: '2026-08-04T07:30:00Z',
            drand_round: 98823,
            opens_forecasts_at: '2026-08-04T07:31:00Z',
            state: 'graded',
            forecasts: 2,
            arena: {
              value: null,
              n: 0,
            },
            print: 1000,
            void_reason: null,
            house: [
              {
                handle: 'house-last',
                value: 1100,
              },
            ],
            url: '/v1/arena/rounds/layoffs-2026-08-03',
          },
        ],
        voided: [
          {
            ticker: 'LAYOFFS',
            rounds: 2,
            voided: 0,
          },
        ],
        standings: [
          {
            handle: '1a5ab3c7db269726d85693fb9ac1ec59',
            handle_id: '1a5ab3c7db269726d85693fb9ac1ec59',
            graded: 2,
            total_points: 200,
            streak: 2,
            best_streak: 2,
            ranked: false,
            secured_by: 'secret',
            mean_points: 100,
            skill: 6.3333,
          },
        ],
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "nope".',
        instance: '/arena',
        error: 'not_found',
      },
    },
  },
  getArenaHandle: {
    parameters: {
      handle: '1a5ab3c7db269726d85693fb9ac1ec59',
    },
    answers: {
      '200 application/json': {
        handle: '1a5ab3c7db269726d85693fb9ac1ec59',
        handle_id: '1a5ab3c7db269726d85693fb9ac1ec59',
        salt: null,
        key: null,
        standing: {
          handle: '1a5ab3c7db269726d85693fb9ac1ec59',
          handle_id: '1a5ab3c7db269726d85693fb9ac1ec59',
          graded: 2,
          total_points: 200,
          streak: 2,
          best_streak: 2,
          ranked: false,
          secured_by: 'secret',
          mean_points: 100,
          skill: 6.3333,
        },
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no handle "nobody".',
        instance: '/arena/handles/nobody',
        error: 'not_found',
      },
    },
  },
  getArenaRound: {
    parameters: {
      round: 'layoffs-2026-08-03',
      place: '0',
    },
    answers: {
      '200 application/json': {
        id: 'layoffs-2026-08-03',
        log: 'e24c64a37d581e5fcc13d787576502e68c8455354e412d6c1cbb0952ff4108a8',
        state: 'graded',
        seq: 11,
        at: '2026-08-04T02:00:00Z',
        round: {
          arena_rule: 'f5af704d78f98fd99b3f390f3c3dc0eb0cbde07aeaade246c5e7aa37f7e3c5ae',
          closes_at: '2026-08-04T07:30:00Z',
          decimals: 0,
          drand_round: 98823,
          house: [
            {
              handle: 'e62947ea9970037cb41ea5d25b07f576',
              value: '1100',
            },
          ],
          id: 'layoffs-2026-08-03',
          opens_at: '2026-08-04T01:30:00Z',
          period: '2026-08-03',
          ref_period: '2026-08-02',
          ref_value: '1100',
          rule: {
            hash: 'f7dae0aeeebd5fb72d9bbaf6ef09ab1a8ce7fb097e0e5d2b771412a833ff556a',
            version: 1,
          },
          ticker: 'LAYOFFS',
        },
        rule: {
          arena: {
            drand: {
              beacon_id: 'vectors',
              genesis_time: 1782864000,
              group_hash: '37ec697f6fef8bf7f4ab5559a5ddaae07d58aab4d791ac1339b4e9206a2962c6',
              hash: '17673561b7e9765d19730094cf6ca2dd81b13b3f9bd9948c97a8c0f8d610c017',
              period_s: 30,
              public_key:
                'a799854a6a4abcc395b8bf9d103c710885952089dbdd635bb1103f0cd8a2585d3c4d781bd1f1ad9b75a3b0f5f538bcb719a1db2ee61e5a8d542577e0b0469cce61d2e6a5b6a0a40d9c8ac2d0066f61bbc8337e3ba3afd51ed44d270236a1e524',
              scheme: 'bls-unchained-g1-rfc9380',
            },
            indices: [
              {
                close_before_s: 3600,
                known: 'release',
                ticker: 'LAYOFFS',
                window_s: 21600,
              },
            ],
            median_window: 8,
            ranked_from: 3,
            seal_margin_s: 60,
            shrink: 10,
            streak_points: 50,
            top: 10,
            witnesses: {
              keys: [
                'witness-0.example+37ea6898+BG7gkf0oCptoVU+nPFiBJdR9NCXGiia6I2tNrZD5Co+S',
                'witness-1.example+2d57f1d8+BEHo/eEyrWcOU0zYsnXSzX7sd3M8ZvjbSKHK2n+r/EVV',
                'witness-2.example+5034521c+BLR0C6Tg9+BXbxHoFJ27slKcISIT22eYMftdGyIehFUt',
              ],
              required: 2,
            },
            zero_points_at: 25,
          },
          referee: null,
          type: 'assay-arena-rule/1',
          version: 1,
        },
        forecasts: 2,
        places: 2,
        freeze: {
          at: '2026-08-04T07:30:00Z',
          body: {
            count: 2,
            handles: 2,
            openings: 'c0babaab904977df8e50a8991e11ae3ca71844efe52092bea39b75e1bea31b2d',
            root: '7e12e8b487de57a82ce81883088b0ac21f3da70fb39a41ed92242a29d4629f57',
            round: 'layoffs-2026-08-03',
            top: [],
          },
          seq: 14,
        },
        unseal: {
          at: '2026-08-04T07:31:00Z',
          body: {
            note: 'development/vectors\n15\nglXMZ+5qpKG5H3TWoWkC+x9k+RGIx5zf8rVUNYEg8fI=\n\n— witness-0.example N+pomAAAAABqcZT4p59GiUBB+j/bxRbkCB1ck9W4Cj+eOighecjk4hOFT7csVinxFgFY0mB88rhgled500RTLILdsFXaZXFMieBgCw==\n— witness-1.example LVfx2AAAAABqcZT4HnmFI53e4JHjzcXtYhLs+WkgMcq6jBalZVZOmFsGxO5Fk+LiWgmEgRSi+In2g2P7U3sP8qgUaYmw8wUG5PPLCg==\n',
            round: 'layoffs-2026-08-03',
            signature:
              '99deb8a688d6ee51c21b041841e83c4602d8ed5314dff43aae839cd52356346a13f8ec1a5b3c4181d7fedf9b59ce26e1',
            void_reason: null,
          },
          seq: 15,
        },
        grade: {
          arena: {
            n: 0,
            value: null,
          },
          at: '2026-08-04T08:40:01Z',
          count: 2,
          parts: 1,
          print: '1000',
          report: '6a50956ce836256cee39c877695b4fe94055d2f39cd0c86a19ab3e98e1fbfc38',
          seqs: [17],
          unopened: 0,
          void_reason: null,
        },
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no round "layoffs-1999-01-01".',
        instance: '/arena/rounds/layoffs-1999-01-01',
        error: 'not_found',
      },
    },
  },
  getAsset: {
    parameters: {
      symbol: 'BTC',
    },
    answers: {
      '200 application/json': {
        asset: {
          symbol: 'BTC',
          name: 'Bitcoin',
          class: 'crypto',
          listed: true,
        },
        latest: {
          ts: '2026-08-29T00:15:00Z',
          current: true,
          score: 90,
          heat: 90,
          score_1h: 5,
          heat_1h: 5,
          measured: true,
          move_24h: 9,
          vol_mult: 4,
        },
        vol_mult: 4,
        scores_30d: [
          {
            ts: '2026-08-27T00:00:00Z',
            score: 26,
            heat: 26,
          },
        ],
        heat_7d: [
          {
            ts: '2026-08-27T00:00:00Z',
            heat: 26,
          },
        ],
        open_event: {
          id: '5ee5fd54-a2e5-854c-afec-0e945714f513',
          opened_at: '2026-08-29T00:15:00Z',
          score_at_open: 90,
          peak_score: 90,
          peak_heat: 90,
          heat_at_open: 90,
        },
        past_events: [
          {
            id: 'b1efe8e6-c928-8c2c-bee8-77539e9e6740',
            status: 'cooling',
            symbol: 'BTC',
            name: 'Bitcoin',
            class: 'crypto',
            opened_at: '2026-08-27T03:00:00Z',
            closed_at: '2026-08-27T10:00:00Z',
            close_reason: 'age',
            score_at_open: 90,
            peak_score: 95,
            peak_heat: 95,
            heat_at_open: 95,
            move_24h: 8.42,
            vol_mult: 3.15,
            breadth: {
              down: 0,
              of: 3,
              up: 2,
            },
            rule: '1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77',
            receipts: {
              '24h': {
                due_at: '2026-08-28T03:00:00Z',
                status: 'resolved',
                ret_pct: -0.58,
                resolved_at: '2026-08-28T03:00:00Z',
                void_reason: null,
                benchmark: null,
                benchmark_ret_pct: null,
                benchmark_reason: 'own',
              },
              '7d': {
                due_at: '2026-09-03T03:00:00Z',
                status: 'pending',
                ret_pct: null,
                resolved_at: null,
                void_reason: null,
                benchmark: null,
                benchmark_ret_pct: null,
                benchmark_reason: 'own',
              },
              '30d': {
                due_at: '2026-09-26T03:00:00Z',
                status: 'pending',
                ret_pct: null,
                resolved_at: null,
                void_reason: null,
                benchmark: null,
                benchmark_ret_pct: null,
                benchmark_reason: 'own',
              },
            },
            proofs: {
              open: {
                digest: '49708528029b75901a503af961b348e7cf98247ab89811a987b4ec9a6c3ff885',
                stamped_at: null,
                bitcoin_height: null,
                proof_url: null,
              },
              '24h': {
                digest: '199555232d42cb8466fedca46883875458df28e259f7c7c15007a723238de246',
                stamped_at: null,
                bitcoin_height: null,
                proof_url: null,
              },
              '7d': null,
              '30d': null,
            },
          },
        ],
        venues: {
          spot: [],
          perpetuals: [],
          futures: [],
          prediction_markets: [],
        },
        venues_checked_at: null,
        venues_notice: 'This service does not check venues.',
      },
      '404 not_listed': {
        type: '/problems/not_listed',
        title: 'There is no asset by that symbol',
        status: 404,
        detail: 'There is no asset "NOPE" here.',
        instance: '/asset/NOPE',
        error: 'not_listed',
      },
    },
  },
  getBaseRate: {
    parameters: {
      symbol: 'BTC',
    },
    answers: {
      '200 application/json': {
        symbol: 'BTC',
        score_now: 90,
        threshold: 70,
        ts: '2026-08-29T00:15:00Z',
        opened_at: '2026-08-29T00:15:00Z',
        move_24h: 9,
        bucket: 'up_5',
        breadth: 'broad',
        edge_7d_pts: 4.07,
        n: 50,
        n_weeks: 50,
        n_assets: 16,
        edge_7d_ci: [3.42, 4.72],
        edge_7d_low_pts: 4.07,
        edge_7d_high_pts: 4.07,
        edge_7d_low_t: 13.415,
        edge_7d_high_t: 13.415,
        t_needed: 3.912,
        n_dates: 50,
        top_date_share: 0.02,
        horizons: {
          '1d': {
            n: 50,
            gone: 0,
            up_share: 0.66,
            median_ret_pct: 0.57,
            mean_excess_pct: 0.57,
            quarter_excess_pct: -0.65,
            median_excess_pct: 0.53,
            three_quarter_excess_pct: 1.92,
          },
          '7d': {
            n: 50,
            gone: 0,
            up_share: 1,
            median_ret_pct: 4.07,
            mean_excess_pct: 4.07,
            quarter_excess_pct: 2.85,
            median_excess_pct: 4.03,
            three_quarter_excess_pct: 5.42,
          },
          '30d': {
            n: 47,
            gone: 0,
            up_share: 1,
            median_ret_pct: 5.49,
            mean_excess_pct: 5.79,
            quarter_excess_pct: 4.38,
            median_excess_pct: 5.49,
            three_quarter_excess_pct: 6.6,
          },
        },
        ordinary: {
          '1d': {
            up_share: 0.46,
            median_ret_pct: 0,
          },
          '7d': {
            up_share: 0.46,
            median_ret_pct: 0,
          },
          '30d': {
            up_share: 0.4681,
            median_ret_pct: 0,
          },
        },
        parts: {
          two_against: {
            n: 52,
            n_weeks: 52,
            n_assets: 18,
            edge_7d_ci: [2.84, 4.54],
            edge_7d_low_pts: 3.69,
            edge_7d_high_pts: 3.69,
            edge_7d_low_t: 9.258,
            edge_7d_high_t: 9.258,
            t_needed: 1.74,
          },
          chosen: {
            n: 12,
            n_weeks: 12,
            n_assets: 7,
            edge_7d_ci: [2.52, 5],
            edge_7d_low_pts: 3.76,
            edge_7d_high_pts: 3.76,
            edge_7d_low_t: 7.463,
            edge_7d_high_t: 7.463,
            t_needed: 1.944,
          },
          later: {
            n: 24,
            n_weeks: 24,
            n_assets: 16,
            edge_7d_ci: [3.31, 4.64],
            edge_7d_low_pts: 3.97,
            edge_7d_high_pts: 3.97,
            edge_7d_low_t: 12.83,
            edge_7d_high_t: 12.83,
            t_needed: 1.754,
          },
          other_assets: {
            n: 14,
            n_weeks: 14,
            n_assets: 9,
            edge_7d_ci: [3.56, 4.99],
            edge_7d_low_pts: 4.27,
            edge_7d_high_pts: 4.27,
            edge_7d_low_t: 13.89,
            edge_7d_high_t: 13.89,
            t_needed: 1.86,
          },
        },
        coin_in_study: false,
        plain:
          'After a rise of 5 % to 15 % in a day, while 30 % of the assets or more moved 5 % or more the same way, 50 events opened, on 16 assets in 50 weeks. Seven days after the next reading 100.00 % of them stood higher, and the median return was +4.07 %. Their return less that of the quiet assets on the same days was +4.07 points on average (95 % interval +3.42 to +4.72).',
        caveat:
          'This group was selected from 18 because its mean is far from 0, so the mean and its interval are too far from 0 on average. Events of one week, and events of one asset, are not independent: the sample is 50 weeks and 16 assets, and not 50 events. In all 50 events the asset still had a price after 7 days. It says what happened, and not what will.',
        caveats: [
          'This group was selected from 18 because its mean is far from 0, so the mean and its interval are too far from 0 on average.',
          'Events of one week, and events of one asset, are not independent: the sample is 50 weeks and 16 assets, and not 50 events.',
          'In all 50 events the asset still had a price after 7 days.',
        ],
        source: {
          seq: 212,
          blob: '2968c81db75504faf5fa3efa973d3b403f8193f22b6f144422f2e5d6c6ee3e98',
          rule: '1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77',
          from: 0,
          to: 100,
          number: 1,
          error_one_in: {
            group: 720,
            study: 40,
          },
        },
      },
      '404 not_listed': {
        type: '/problems/not_listed',
        title: 'There is no asset by that symbol',
        status: 404,
        detail: 'There is no asset "NOPE" here.',
        instance: '/base-rate/NOPE',
        error: 'not_listed',
      },
    },
  },
  getBlob: {
    parameters: {
      hash: 'bdb86321ef86fb060f82f5069a6c154a18141b5cb6b2a3fcc5a2223286ae65bb',
    },
    answers: {
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'No bytes are kept under that sha256.',
        instance: '/blob/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',
        error: 'not_found',
      },
    },
  },
  getBoard: {
    parameters: {},
    answers: {
      '200 application/json': {
        halted: false,
        halted_classes: [],
        assets: [
          {
            symbol: 'BTC',
            name: 'Bitcoin',
            class: 'crypto',
            ts: '2026-08-29T00:15:00Z',
            current: true,
            score: 90,
            heat: 90,
            score_1h: 5,
            heat_1h: 5,
            measured: true,
            move_24h: 9,
            vol_mult: 4,
            open_event: {
              id: '5ee5fd54-a2e5-854c-afec-0e945714f513',
              opened_at: '2026-08-29T00:15:00Z',
              score_at_open: 90,
              peak_score: 90,
              peak_heat: 90,
              heat_at_open: 90,
            },
          },
        ],
      },
      '503 halted': {
        halted: true,
        halted_classes: [],
        assets: [],
        type: '/problems/halted',
        title: 'The service is halted',
        status: 503,
        detail: 'The record cannot be read now: /status says why.',
        instance: '/board',
        error: 'halted',
      },
    },
  },
  getChangelog: {
    parameters: {},
    answers: {
      '200 application/json': {
        generated_at: '2026-08-29T00:16:00Z',
        ships: [
          {
            date: '2026-11-20',
            pr: 1,
            title: 'The log itself',
            summary:
              '/checkpoint, /tile/ and /blob/ serve the log as C2SP tlog-tiles lays it out, so that anybody can recompute every number.',
          },
        ],
        score_events: [
          {
            id: 'b824554e-4870-80c5-b6e5-9142a7689372',
            kind: 'closed',
            symbol: 'ETH',
            name: 'Ethereum',
            opened_at: '2026-08-27T02:00:00Z',
            score_at_open: 72,
            peak_score: 81,
            peak_heat: 81,
            heat_at_open: 81,
          },
        ],
        heat_events: [
          {
            id: 'b824554e-4870-80c5-b6e5-9142a7689372',
            kind: 'resolved',
            symbol: 'ETH',
            name: 'Ethereum',
            opened_at: '2026-08-27T02:00:00Z',
            score_at_open: 72,
            peak_score: 81,
            peak_heat: 81,
            heat_at_open: 81,
          },
        ],
        score_halted: false,
        heat_halted: false,
      },
    },
  },
  getCheckpoint: {
    parameters: {},
    answers: {
      '200 text/plain':
        'development/ledger-test\n22\nC/2PUbxfDf9S8cva6n36d5kXiT1m6UhpbkKENDgWFQQ=\n\n— development/ledger-test dpgAx0JSwuMGNz24QQpwDKuHXGC9W9cLtZjS4kNgHbStNYeUU7h4t52bgS0nRboKM6RUqQGPZKx6KWQ3Q9f71qNHIAE=\n',
    },
  },
  getClose: {
    parameters: {
      day: '2026-07-30',
    },
    answers: {
      '200 application/json': {
        day: '2026-07-30',
        version: 0,
        content_hash: '3d16df1c2658a49ab93f3d1f8dfbb26a12b1a48dfdd5bded48c76e43e7b3718b',
        content: {
          day: '2026-07-30',
          files: [
            {
              path: '2026-07-30/LAYOFFS.csv',
              sha256: '2aadbee4809543b683e56b6c2655118596e733109a2ed9f9675135d9aa1a9bc7',
            },
          ],
          items: [
            {
              period: '2026-07-25',
              report: '6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d',
              ticker: 'HIDDEN',
              value: null,
            },
          ],
        },
        indices: [
          {
            ticker: 'hidden',
            period: '2026-07-25',
            value_decimal: null,
            unit: 'claims',
            withheld: true,
            report_hash: '6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d',
          },
        ],
        supersedes: null,
        message:
          '6173736179434c31113fd4a897143928de79099fbcfb69363f9fe058dc123762d8548a1f9a7c1e21b85000003d16df1c2658a49ab93f3d1f8dfbb26a12b1a48dfdd5bded48c76e43e7b3718b',
        signature:
          '806dd1f7c95a6a9805529b197f429c99c784a14a7928fdb51f6666fbeadb384ab32318cc59d1dce7b70a995ef74c73b1fd18e77a32aff3b0884f688d27c5c606',
        public_key: '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c',
        seq: 18,
        closed_at: '2026-07-31T00:00:10Z',
        proof: {
          digest: '3d16df1c2658a49ab93f3d1f8dfbb26a12b1a48dfdd5bded48c76e43e7b3718b',
          stamps: {
            of: 'close',
            seq: 18,
            size: null,
            recorded_at: '2026-07-31T00:00:10Z',
          },
          state: 'attested',
          stamped_at: '2026-07-11T00:10:00Z',
          bitcoin_height: 9,
          before: {
            height: 9,
            hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
            time: '2011-02-02T23:16:42Z',
          },
          after: null,
          calendars: [
            {
              state: 'attested',
              uri: 'http://127.0.0.1:4620',
            },
          ],
          batch: 0,
          anchor_seq: 21,
          proof_url:
            '/proof/3d16df1c2658a49ab93f3d1f8dfbb26a12b1a48dfdd5bded48c76e43e7b3718b?format=ots',
        },
        attestation: null,
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no Close of 1999-01-01.',
        instance: '/indices/close',
        error: 'not_found',
      },
    },
  },
  getClosingHead: {
    parameters: {},
    answers: {
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'No checkpoint key of that number has ended.',
        instance: '/closing-head/0',
        error: 'not_found',
      },
    },
  },
  getDataset: {
    parameters: {
      symbol: 'ETH',
      from: '2026-08-27',
      to: '2026-09-26',
      since: '2026-08-27',
      format: 'csv',
      limit: '1000',
      offset: '0',
      cursor: 'ZGF0YXNldCAw',
    },
    answers: {
      '200 application/json': {
        halted: false,
        since: '2026-08-27',
        rows: [
          {
            event_id: 'b824554e-4870-80c5-b6e5-9142a7689372',
            symbol: 'ETH',
            name: 'Ethereum',
            class: 'crypto',
            display: true,
            status: 'resolved',
            opened_at: '2026-08-27T02:00:00Z',
            closed_at: '2026-08-27T05:00:00Z',
            close_reason: 'below',
            score_at_open: 72,
            peak_score: 81,
            peak_heat: 81,
            heat_at_open: 81,
            move_24h: 8.42,
            vol_mult: 3.15,
            breadth_up: 2,
            breadth_down: 0,
            breadth_of: 3,
            rule: '1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77',
            status_24h: 'resolved',
            ret_pct_24h: -1.14,
            resolved_at_24h: '2026-08-28T02:00:00Z',
            void_reason_24h: null,
            benchmark_24h: 'BTC',
            benchmark_ret_pct_24h: -0.58,
            benchmark_reason_24h: null,
            status_7d: 'resolved',
            ret_pct_7d: 0.63,
            resolved_at_7d: '2026-09-03T02:00:00Z',
            void_reason_7d: null,
            benchmark_7d: 'BTC',
            benchmark_ret_pct_7d: 0.32,
            benchmark_reason_7d: null,
            status_30d: 'resolved',
            ret_pct_30d: 0.25,
            resolved_at_30d: '2026-09-26T02:00:00Z',
            void_reason_30d: null,
            benchmark_30d: 'BTC',
            benchmark_ret_pct_30d: 0.13,
            benchmark_reason_30d: null,
          },
        ],
        next_offset: null,
        next_cursor: null,
      },
      '200 text/csv':
        'event_id,symbol,name,class,display,status,opened_at,closed_at,close_reason,score_at_open,peak_score,peak_heat,heat_at_open,move_24h,vol_mult,breadth_up,breadth_down,breadth_of,rule,status_24h,ret_pct_24h,resolved_at_24h,void_reason_24h,benchmark_24h,benchmark_ret_pct_24h,benchmark_reason_24h,status_7d,ret_pct_7d,resolved_at_7d,void_reason_7d,benchmark_7d,benchmark_ret_pct_7d,benchmark_reason_7d,status_30d,ret_pct_30d,resolved_at_30d,void_reason_30d,benchmark_30d,benchmark_ret_pct_30d,benchmark_reason_30d\nb824554e-4870-80c5-b6e5-9142a7689372,ETH,Ethereum,crypto,true,resolved,2026-08-27T02:00:00Z,2026-08-27T05:00:00Z,below,72,81,81,81,8.42,3.15,2,0,3,1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77,resolved,-1.14,2026-08-28T02:00:00Z,,BTC,-0.58,,resolved,0.63,2026-09-03T02:00:00Z,,BTC,0.32,,resolved,0.25,2026-09-26T02:00:00Z,,BTC,0.13,\nb1efe8e6-c928-8c2c-bee8-77539e9e6740,BTC,Bitcoin,crypto,true,resolved,2026-08-27T03:00:00Z,2026-08-27T10:00:00Z,age,90,95,95,95,8.42,3.15,2,0,3,1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77,resolved,-0.58,2026-08-28T03:00:00Z,,,,own,resolved,-1.13,2026-09-03T03:00:00Z,,,,own,resolved,-1.32,2026-09-26T03:00:00Z,,,,own\n2a88ea6e-bf0d-863c-99c2-ac3e7f7c160d,HID,Hidden,crypto,false,cooling,2026-08-27T07:30:00Z,2026-08-27T15:00:00Z,silent,77,77,77,77,8.42,3.15,2,0,3,1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77,void,,,no_data,BTC,,,void,,,no_data,BTC,,,pending,,,,BTC,,\n',
    },
  },
  getEvents: {
    parameters: {
      from: '2',
      after: '1-07200dad164dc5bb',
      kinds: 'report',
      tickers: 'LAYOFFS',
      symbols: 'SOL',
      ticks: 'true',
    },
    answers: {
      '200 text/event-stream':
        'id: 2-7e4a549777ba9e50\nevent: report/1\ndata: {"seq":2,"leaf_hash":"7e4a549777ba9e50367f76982eeb0275747813aa05adfc228408390c8eb47ef4","kind":"report/1","at":"2026-07-30T12:30:00Z","ticker":"LAYOFFS","symbol":null,"entry":"{\\"at\\":\\"2026-07-30T12:30:00Z\\",\\"body\\":{\\"report\\":{\\"after\\":null,\\"band\\":null,\\"commitment\\":null,\\"cosigners\\":{\\"required\\":0,\\"set\\":null},\\"decimals\\":0,\\"dispersion\\":\\"0\\",\\"grade\\":\\"A\\",\\"issue\\":0,\\"log\\":\\"1182688fa3e1448a8a7e06c386a7ce3adebe5333b87f0214254ab510d13f5483\\",\\"period\\":\\"2026-07-25\\",\\"published_at\\":\\"2026-07-30T14:30:00Z\\",\\"reads\\":[{\\"outcome\\":\\"ok\\",\\"provider\\":\\"press\\",\\"read_at\\":\\"2026-07-30T12:30:05Z\\",\\"retain\\":\\"bytes\\",\\"role\\":\\"record\\",\\"snapshot\\":\\"42c43205fa2d2a41ac84612b7f08b07cc783b37932640540003820ae0733611d\\",\\"value\\":\\"218000\\"},{\\"outcome\\":\\"ok\\",\\"provider\\":\\"table\\",\\"read_at\\":\\"2026-07-30T12:31:00Z\\",\\"retain\\":\\"bytes\\",\\"role\\":\\"mirror\\",\\"snapshot\\":\\"34e2890ebc2b25c315e3dad5a46f853b64e26bd68e4934ea8e6afb47a8e3cba4\\",\\"value\\":\\"218000\\"},{\\"outcome\\":\\"not_published\\",\\"provider\\":\\"api\\",\\"read_at\\":\\"2026-07-30T12:31:02Z\\",\\"retain\\":\\"hash\\",\\"role\\":\\"check\\",\\"snapshot\\":\\"0000dde0228f164dec3dc43183be7127a60b74a63af45f7ac3d4c6657a442050\\",\\"value\\":null}],\\"reason\\":null,\\"rule\\":{\\"hash\\":\\"77350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e\\",\\"version\\":1},\\"settleable\\":true,\\"status\\":\\"final\\",\\"supersedes\\":\\"2506ef1efc4c6170192c12b1cd422c20289f36cc93b336a82477c39910bec5cd\\",\\"ticker\\":\\"LAYOFFS\\",\\"type\\":\\"assay-report/1\\",\\"value\\":\\"218000\\",\\"withheld\\":false,\\"z\\":null},\\"signature\\":\\"abababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababababab\\"},\\"kind\\":\\"report/1\\",\\"prev\\":\\"07200dad164dc5bba9f15072fcc41cf24147c3cbeecd8c4ffc6bfb27df49e6af\\",\\"seq\\":2,\\"v\\":1}"}\n\n',
      '409 other_history': {
        size: 3,
        type: '/problems/other_history',
        title: 'The log has another entry there, or none',
        status: 409,
        detail: 'This log, of 3 entries, has no such entry.',
        instance: '/events',
        error: 'other_history',
      },
    },
  },
  getHealth: {
    parameters: {},
    answers: {
      '200 text/plain': 'ok\n',
    },
  },
  getHistory: {
    parameters: {
      ticker: 'LAYOFFS',
    },
    answers: {
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "NOPE".',
        instance: '/indices/NOPE/history.csv',
        error: 'not_found',
      },
      '200 text/csv':
        'ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url\nLAYOFFS,2026-07-04,215000,215000,,,,,2026-07-11,9,/proof/8cd558059a58496a3e879e525a8b0d9a10494c833b2f380e1f39896779e98aa5?format=ots\nLAYOFFS,2026-07-11,209000,209000,,,,,2026-07-11,9,/proof/beca4a4049db7c5357c5c60c9190abfb6691ccfb90ecd899a5a388ebf18e3e5e?format=ots\nLAYOFFS,2026-07-18,216000,216000,,,,,2026-07-11,9,/proof/a1c38f5c3836132e32150d7db41fc199ddd0fb46396157e6bba392a2c9bc40aa?format=ots\nLAYOFFS,2026-07-25,197000,197000,,,,,2026-07-11,9,/proof/0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09?format=ots\n',
    },
  },
  getIndex: {
    parameters: {
      ticker: 'LAYOFFS',
    },
    answers: {
      '200 application/json': {
        ticker: 'LAYOFFS',
        slug: 'layoffs',
        title:
          'US initial unemployment insurance claims, seasonally adjusted, advance figure, week ending Saturday',
        network: 'development',
        unit: 'claims',
        format: 'count',
        decimals: 0,
        cadence: 'weekly',
        step: 7,
        grade: 'B',
        source: {
          name: 'US Department of Labor, figures typed into the project',
          terms_url: 'https://www.dol.gov/general/aboutdol/copyright',
          clause:
            'Development sample. No terms page was fetched for this rule, so it is valid on a development log alone.',
          attribution:
            'Source: U.S. Department of Labor, Employment and Training Administration. Typed in; not endorsed by DOL.',
          providers: [
            {
              id: 'sample-claims-csv',
              name: 'Typed-in Department of Labor figures, as CSV',
              role: 'record',
              url: 'https://claims.sample.invalid/initial-claims.csv',
            },
          ],
        },
        settlement: {
          rule_version: 1,
          rule_hash: '9f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
          settles: 'first_published',
          allowed: true,
          quorum: 2,
          freeze_after_s: 7200,
          tie: 'A print equal to the strike resolves YES.',
        },
        newest_reading: {
          period: '2026-07-25',
          status: 'final',
          value: 197000,
          value_decimal: '197000',
          settlement_value: 197000,
          settlement_value_decimal: '197000',
          revised: null,
          revised_decimal: null,
          revised_on: null,
          z: null,
          band: null,
          settleable: true,
          quorum: {
            required: 0,
            have: 0,
          },
          withheld: false,
          commitment: null,
          report_hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
          published_at: '2026-07-30T14:30:00Z',
          proof_day: '2026-07-11',
          bitcoin_height: 9,
          proof_url:
            '/proof/0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09?format=ots',
        },
        newest_complete: {
          period: '2026-07-25',
          status: 'final',
          value: 197000,
          value_decimal: '197000',
          settlement_value: 197000,
          settlement_value_decimal: '197000',
          revised: null,
          revised_decimal: null,
          revised_on: null,
          z: null,
          band: null,
          settleable: true,
          quorum: {
            required: 0,
            have: 0,
          },
          withheld: false,
          commitment: null,
          report_hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
          published_at: '2026-07-30T14:30:00Z',
          proof_day: '2026-07-11',
          bitcoin_height: 9,
          proof_url:
            '/proof/0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09?format=ots',
        },
        next_period: '2026-08-01',
        next_release_at: '2026-08-06T12:30:00Z',
        periods: [
          {
            period: '2026-07-25',
            status: 'final',
            value: 197000,
            value_decimal: '197000',
            settlement_value: 197000,
            settlement_value_decimal: '197000',
            revised: null,
            revised_decimal: null,
            revised_on: null,
            z: null,
            band: null,
            settleable: true,
            quorum: {
              required: 0,
              have: 0,
            },
            withheld: false,
            commitment: null,
            report_hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
            published_at: '2026-07-30T14:30:00Z',
            proof_day: '2026-07-11',
            bitcoin_height: 9,
            proof_url:
              '/proof/0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09?format=ots',
          },
        ],
        open_round: null,
        newest_proof: {
          digest: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
          stamps: {
            of: 'report',
            seq: 17,
            size: null,
            recorded_at: '2026-07-30T14:30:00Z',
          },
          state: 'attested',
          stamped_at: '2026-07-11T00:10:00Z',
          bitcoin_height: 9,
          before: {
            height: 9,
            hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
            time: '2011-02-02T23:16:42Z',
          },
          after: null,
          calendars: [
            {
              state: 'attested',
              uri: 'http://127.0.0.1:4620',
            },
          ],
          batch: 0,
          anchor_seq: 21,
          proof_url:
            '/proof/0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09?format=ots',
        },
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "NOPE".',
        instance: '/indices/NOPE',
        error: 'not_found',
      },
    },
  },
  getIndexEntry: {
    parameters: {
      day: '2026-07-30',
    },
    answers: {
      '200 application/json': {
        at: '2026-07-31T00:00:10Z',
        day: '2026-07-30',
        events: {
          count: 0,
          root: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        },
        keys: {
          count: 4,
          root: 'a4f35745c335dfb71d77118de655cc30f50d3f0d3c817573b7c8300608f33e4c',
        },
        prints: {
          count: 12,
          root: 'ec2ce2858d494477996f3bf7a0d8b339aa1a99890fbee34b5e249f026b753586',
        },
        rules: {
          count: 2,
          root: '2413a04035af590dd388f20f7fa758ff88a6035017c124c8bb58dd8d5a7f642a',
        },
        seq: 19,
        size: 19,
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'The log has no index entry of that day.',
        instance: '/index',
        error: 'not_found',
      },
    },
  },
  getIndexProof: {
    parameters: {
      report: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
    },
    answers: {
      '200 application/json': {
        at: '2026-07-31T00:00:10Z',
        day: '2026-07-30',
        events: {
          count: 0,
          root: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        },
        keys: {
          count: 4,
          root: 'a4f35745c335dfb71d77118de655cc30f50d3f0d3c817573b7c8300608f33e4c',
        },
        prints: {
          count: 12,
          root: 'ec2ce2858d494477996f3bf7a0d8b339aa1a99890fbee34b5e249f026b753586',
        },
        rules: {
          count: 2,
          root: '2413a04035af590dd388f20f7fa758ff88a6035017c124c8bb58dd8d5a7f642a',
        },
        seq: 19,
        size: 19,
        report: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
        proof: {
          first: 8,
          leaves: [
            {
              leaf: '800050acf84aa6c2ba0bf88221fb74f2fb6ae20884339051951e8b5aeb753a2f6699775802001053a4d5dee4291c0e7dd1bc09eea80e224eecc040644e04cc8292f10cbfd489',
              proof: [
                'd66c31bd52b9184a6f06e719ccbe12f51905bbb7a00aa6fbe293205c7b82d616',
                '9316b330c29a35b403af61f0b8b7369d0f44cb3e28fae13fb8fc8d0f6a5e69fb',
                '85490fae3d411c1023448633f58cd2ea50092e2dde9635933658dc400f24f890',
              ],
            },
          ],
        },
        versions: {
          first: 0,
          leaves: [
            {
              leaf: '8915b6acb9dd16d9cddc86036e80b6d3b16f332dfdee6cd65a145e9690e10948000000019f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
              proof: ['fed1928b899c73777ef4883cb4ca56f60ba77996c521e8a34b932449f7791c69'],
            },
          ],
        },
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'No report of the log has that hash.',
        instance: '/index/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',
        error: 'not_found',
      },
    },
  },
  getListing: {
    parameters: {
      ticker: 'LAYOFFS',
    },
    answers: {
      '200 application/json': {
        ticker: 'LAYOFFS',
        title:
          'US initial unemployment insurance claims, seasonally adjusted, advance figure, week ending Saturday',
        network: 'development',
        question:
          'Will US initial unemployment claims for the week ending 2026-08-01, as first published, be at least {strike}?',
        period: '2026-08-01',
        unit: 'claims',
        decimals: 0,
        strikes: ['180000', '185000', '190000'],
        strike_step: '5000',
        tie: {
          op: 'ge',
          text: 'A print equal to the strike resolves YES.',
        },
        settlement: {
          release_at: '2026-08-06T12:30:00Z',
          final_from: '2026-08-06T14:30:00Z',
          void_after: '2026-08-20T12:30:00Z',
          on: 'settlement_value of LAYOFFS for 2026-08-01: the first final under rule version 1, signed by the publisher. Later revisions and corrections do not change it. It settles from when `settleable` of that period is true.',
          if_void:
            'Where the source publishes no number by its deadline the period is void: a signed report says so, and the market has no number to settle on.',
        },
        reference: {
          period: '2026-07-25',
          settlement_value: '197000',
        },
        rule: {
          version: 1,
          hash: '9f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
        },
        source: {
          name: 'US Department of Labor, figures typed into the project',
          attribution:
            'Source: U.S. Department of Labor, Employment and Training Administration. Typed in; not endorsed by DOL.',
        },
        where: {
          report: 'https://assay.example/indices/LAYOFFS/report?period=2026-08-01',
          settlement_index: 'https://assay.example/settlement/latest.json',
          mirror: 'https://mirror.example/latest.json',
          reference_file: 'https://assay.example/settlement/2026-07-30/LAYOFFS.json',
          proof: 'https://assay.example/indices/LAYOFFS/report?period=2026-08-01',
          recount: null,
          rule: 'https://assay.example/indices/LAYOFFS/rule',
        },
      },
      '404 no_kit': {
        type: '/problems/no_kit',
        title: 'That index offers no listing kit',
        status: 404,
        detail: 'The level is withheld.',
        instance: '/indices/hidden/listing.json',
        error: 'no_kit',
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "NOPE".',
        instance: '/indices/NOPE/listing.json',
        error: 'not_found',
      },
    },
  },
  getPack: {
    parameters: {
      path: '0/000.p/1',
    },
    answers: {
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'The published log has no such pack.',
        instance: '/pack/0/999',
        error: 'not_found',
      },
    },
  },
  getPastBoard: {
    parameters: {},
    answers: {
      '503 tier_closed': {
        type: '/problems/tier_closed',
        title: 'The machine tier is closed',
        status: 503,
        detail: 'The machine tier is not open yet. Nothing is charged, and no key opens it.',
        instance: '/board/at',
        error: 'tier_closed',
      },
    },
  },
  getProblem: {
    parameters: {
      code: 'halted',
      format: 'json',
    },
    answers: {
      '200 text/html':
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n<title>Problem halted</title>\n</head>\n<body>\n<h1>Problem halted</h1>\n<h2 id="halted"><code>halted</code> · 503</h2>\n<p><strong>The service is halted.</strong> The record cannot be read or written now, or it is too old to be shown.</p>\n<p>What to do: Read /status, which says why, and ask again after <code>Retry-After</code>.</p>\n<p><a href="/problems">All codes</a> · <a href="/docs">The API</a> · <a href="/v1/status">Status</a></p>\n</body>\n</html>\n',
      '200 application/json': {
        error: 'halted',
        status: 503,
        title: 'The service is halted',
        type: '/problems/halted',
        meaning: 'The record cannot be read or written now, or it is too old to be shown.',
        remedy: 'Read /status, which says why, and ask again after `Retry-After`.',
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no code "nope": /problems lists all.',
        instance: '/problems/nope',
        error: 'not_found',
      },
    },
  },
  getProof: {
    parameters: {
      digest: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
      format: 'ots',
    },
    answers: {
      '200 application/json': {
        digest: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
        stamps: {
          of: 'report',
          seq: 17,
          size: null,
          recorded_at: '2026-07-30T14:30:00Z',
        },
        state: 'attested',
        stamped_at: '2026-07-11T00:10:00Z',
        bitcoin_height: 9,
        before: {
          height: 9,
          hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
          time: '2011-02-02T23:16:42Z',
        },
        after: null,
        calendars: [
          {
            state: 'attested',
            uri: 'http://127.0.0.1:4620',
          },
        ],
        batch: 0,
        anchor_seq: 21,
        proof_url:
          '/proof/0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09?format=ots',
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail:
          'Nothing in the log has that digest: it is the hash of no report, Close or stamped checkpoint.',
        instance: '/proof/5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',
        error: 'not_found',
      },
    },
  },
  getQuestion: {
    parameters: {
      id: 'd7d39887-3885-8360-a0be-f81a5cf45c30',
    },
    answers: {
      '200 application/json': {
        id: 'd7d39887-3885-8360-a0be-f81a5cf45c30',
        event_id: 'bf9dc03e-b9a2-8161-bff0-a42826f82d01',
        symbol: 'SOL',
        name: 'SOL',
        question:
          'Will the Activity score of SOL be 40 or more at its first good tick from 2026-03-02T00:00:00Z on?',
        state: 'open',
        opened_at: '2026-03-01T00:00:00Z',
        closes_at: '2026-03-01T04:00:00Z',
        resolves_at: '2026-03-02T00:00:00Z',
        threshold: 40,
        tolerance_s: 3600,
        rule: 'dc53c870175b52285ced44511314153926a2537a261fd027e49e6f1ca5568ee6',
        score_rule: '7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c',
        nulls: {
          always_under: 0,
          climatology: 50,
          persistence: 100,
        },
        service: {
          basis: 'none',
          group: {
            breadth: 'alone',
            bucket: 'up_5',
          },
          of: 0,
          p: 50,
          yes: 0,
        },
        answers: 0,
        crowd: null,
        outcome: null,
        void: false,
        score: null,
        resolved_at: null,
        scores: null,
        proof: {
          digest: '0ed04c50e22324dd69b34ff84de637011f0aeacd4dac8e93ff7e52b8382dfd6a',
          stamped_at: null,
          bitcoin_height: null,
          proof_url: null,
        },
        canonical_json:
          '{"closes_at":"2026-03-01T04:00:00Z","event":"bf9dc03e-b9a2-8161-bff0-a42826f82d01","id":"d7d39887-3885-8360-a0be-f81a5cf45c30","nulls":{"always_under":0,"climatology":50,"persistence":100},"opened_at":"2026-03-01T00:00:00Z","resolves_at":"2026-03-02T00:00:00Z","rule":"dc53c870175b52285ced44511314153926a2537a261fd027e49e6f1ca5568ee6","score_rule":"7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c","service":{"basis":"none","group":{"breadth":"alone","bucket":"up_5"},"of":0,"p":50,"yes":0},"symbol":"SOL","threshold":40,"tolerance_s":3600}',
        digest_sha256: '0ed04c50e22324dd69b34ff84de637011f0aeacd4dac8e93ff7e52b8382dfd6a',
        proofs: {
          question: {
            digest: '0ed04c50e22324dd69b34ff84de637011f0aeacd4dac8e93ff7e52b8382dfd6a',
            stamped_at: null,
            bitcoin_height: null,
            proof_url: null,
          },
          answers: null,
          outcome: null,
        },
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no question d7d39887-3885-8360-a0be-f81a5cf45c31.',
        instance: '/questions/d7d39887-3885-8360-a0be-f81a5cf45c31',
        error: 'not_found',
      },
    },
  },
  getReadiness: {
    parameters: {},
    answers: {
      '200 text/plain': 'ready\n',
    },
  },
  getReceiptProof: {
    parameters: {
      event_id: 'b824554e-4870-80c5-b6e5-9142a7689372',
      horizon: '24h',
      format: 'ots',
    },
    answers: {
      '200 application/json': {
        event_id: 'b824554e-4870-80c5-b6e5-9142a7689372',
        horizon: '24h',
        symbol: 'ETH',
        opened_at: '2026-08-27T02:00:00Z',
        resolved_at: '2026-08-28T02:00:00Z',
        seq: 117,
        recorded_at: '2026-08-28T02:01:00Z',
        digest: '0412d4c5ee2d6064ed25f6af5f6865f5f78e445c875dd428c7f6f97d090257df',
        state: 'attested',
        stamped_at: '2026-09-27T00:01:00Z',
        bitcoin_height: 9,
        before: {
          height: 9,
          hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
          time: '2011-02-02T23:16:42Z',
        },
        after: null,
        calendars: [
          {
            state: 'attested',
            uri: 'http://127.0.0.1:4620',
          },
        ],
        batch: 0,
        anchor_seq: 3005,
        proof_url:
          '/receipts/proof?event_id=b824554e-4870-80c5-b6e5-9142a7689372&horizon=24h&format=ots',
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no event 7470f9ab-1c7c-8ac3-b7a6-e66c485b1c94.',
        instance: '/receipts/proof',
        error: 'not_found',
      },
    },
  },
  getRecount: {
    parameters: {
      ticker: 'LAYOFFS',
      period: '2026-07-25',
    },
    answers: {
      '200 application/json': {
        ticker: 'LAYOFFS',
        period: '2026-08-01',
        release_at: '2026-08-06T12:30:00Z',
        set: '90defdbd1cd13a6defe26bbfbce72d90814bd97ad738e04ce3a1ff5b13afb777',
        required: 2,
        cosigners: [
          {
            key: '511c34a1a2cb521df16bb246b8de8e7997ce235c7e76b22a3d7503a24819dd8a',
            name: 'seed 22',
          },
        ],
        report: null,
        quorum: null,
        cosignatures: [],
        dissents: [],
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no period "1999-01-02" of LAYOFFS.',
        instance: '/indices/LAYOFFS/recount',
        error: 'not_found',
      },
    },
  },
  getReport: {
    parameters: {
      ticker: 'LAYOFFS',
      period: '2026-07-25',
    },
    answers: {
      '200 application/json': {
        report: {
          after: null,
          band: null,
          commitment: null,
          cosigners: {
            required: 0,
            set: null,
          },
          decimals: 0,
          dispersion: '0',
          grade: 'B',
          issue: 0,
          log: '113fd4a897143928de79099fbcfb69363f9fe058dc123762d8548a1f9a7c1e21',
          period: '2026-07-25',
          published_at: '2026-07-30T14:30:00Z',
          reads: [
            {
              outcome: 'ok',
              provider: 'sample-claims-csv',
              read_at: '2026-07-30T12:30:00Z',
              retain: 'bytes',
              role: 'record',
              snapshot: 'bdb86321ef86fb060f82f5069a6c154a18141b5cb6b2a3fcc5a2223286ae65bb',
              value: '197000',
            },
          ],
          reason: null,
          rule: {
            hash: '9f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
            version: 1,
          },
          settleable: true,
          status: 'final',
          supersedes: '9c9b4d79385662269fa5602796956ad28a2ec7a68e3d4488fe36c4c4b6c44b7a',
          ticker: 'LAYOFFS',
          type: 'assay-report/1',
          value: '197000',
          withheld: false,
          z: null,
        },
        hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
        print:
          '61737361795052318915b6acb9dd16d9cddc86036e80b6d3b16f332dfdee6cd65a145e9690e109489f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d098801030000000000e85f6b6a00000000b350000002000100',
        signature:
          '053d9c1870b6fdce03b7528a7a550cb109b309c2da4942a1203545e299a7ac7c53a283add9289cca86e62be0a1de0aff8a4ef7160141a30186773438838e4a0a',
        public_key: '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c',
        seq: 17,
        after_seq: null,
        cosignatures: [],
        dissents: [],
        quorum: {
          required: 0,
          have: 0,
          reached_at: '2026-07-30T14:30:00Z',
        },
        feed: null,
        proof: {
          digest: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
          stamps: {
            of: 'report',
            seq: 17,
            size: null,
            recorded_at: '2026-07-30T14:30:00Z',
          },
          state: 'attested',
          stamped_at: '2026-07-11T00:10:00Z',
          bitcoin_height: 9,
          before: {
            height: 9,
            hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
            time: '2011-02-02T23:16:42Z',
          },
          after: null,
          calendars: [
            {
              state: 'attested',
              uri: 'http://127.0.0.1:4620',
            },
          ],
          batch: 0,
          anchor_seq: 21,
          proof_url:
            '/proof/0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09?format=ots',
        },
      },
      '404 no_report': {
        type: '/problems/no_report',
        title: 'There is no number for that index and period',
        status: 404,
        detail: 'Nothing is signed for LAYOFFS 1999-01-02.',
        instance: '/indices/LAYOFFS/report',
        error: 'no_report',
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "NOPE".',
        instance: '/indices/NOPE/report',
        error: 'not_found',
      },
    },
  },
  getRule: {
    parameters: {
      ticker: 'LAYOFFS',
    },
    answers: {
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "NOPE".',
        instance: '/indices/NOPE/rule',
        error: 'not_found',
      },
      '200 application/json': {
        ticker: 'LAYOFFS',
        version: 1,
        applies_from: '2015-01-03',
        hash: '9f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
        canonical:
          '{"aggregate":{"across":"single","max_dispersion":"0","quorum":2,"round":"half_away","within":"equal"},"applies_from":"2015-01-03","bands":[{"from_z":"-99.9","name":"very_low"},{"from_z":"-2.9","name":"low"},{"from_z":"-1.4","name":"normal"},{"from_z":"1.5","name":"high"},{"from_z":"3.0","name":"very_high"}],"baseline":{"min":26,"split":"none","window":52},"decimals":0,"display":"LAYOFFS","format":"count","grade":"B","listing":{"no_kit":null,"question":"Will US initial unemployment claims for the week ending {period}, as first published, be at least {strike}?","strike_step":"5000","strikes":3},"network":"development","period":"week_ending_saturday","precision":"1000","providers":[{"checks":[],"extract":[{"op":"utf8"},{"delimiter":",","op":"csv"},{"key":["/week_ending"],"key_style":"iso_date","missing":["","-"],"op":"series","style":"plain","value":"/claims"},{"among":"newest","op":"pick"}],"group":"us","id":"sample-claims-csv","name":"Typed-in Department of Labor figures, as CSV","request":{"body":null,"follow":[],"headers":[],"method":"GET","paging":{"kind":"none"},"url":"https://claims.sample.invalid/initial-claims.csv"},"retain":"bytes","role":"record","text":"none"},{"checks":[],"extract":[{"op":"utf8"},{"op":"json"},{"op":"rows","ptr":"/weeks"},{"key":["/week_ending"],"key_style":"us_date","missing":["-"],"op":"series","style":"us_grouped","value":"/initial_claims_sa"},{"among":"newest","op":"pick"}],"group":"us","id":"sample-claims-json","name":"The same figures, as JSON","request":{"body":null,"follow":[],"headers":[],"method":"GET","paging":{"kind":"none"},"url":"https://mirror.sample.invalid/initial-claims.json"},"retain":"bytes","role":"mirror","text":"none"}],"release":{"days_after":4,"deadline_s":1209600,"exceptions":[{"date":"2025-12-31","period":"2025-12-27"}],"first_print_within_s":1209600,"local":"08:30","zone":"America/New_York"},"revision":{"freeze_after_s":7200,"provider":"sample-claims-csv","settles":"first_published"},"rights":{"attribution":"Source: U.S. Department of Labor, Employment and Training Administration. Typed in; not endorsed by DOL.","clause":"Development sample. No terms page was fetched for this rule, so it is valid on a development log alone.","clause_sha256":"cc14b661f855b4a01bd75dc4dc06d8fac033dbac31baf6a59f0467880bf475a5","level":"publish","retrieved":"2026-11-20","settlement":"yes","terms_url":"https://www.dol.gov/general/aboutdol/copyright"},"slug":"layoffs","source":"US Department of Labor, figures typed into the project","spec":"assay-rule/1","ticker":"LAYOFFS","tie":{"op":"ge","text":"A print equal to the strike resolves YES."},"title":"US initial unemployment insurance claims, seasonally adjusted, advance figure, week ending Saturday","unit":"claims","version":1}',
        rule: {
          aggregate: {
            across: 'single',
            max_dispersion: '0',
            quorum: 2,
            round: 'half_away',
            within: 'equal',
          },
          applies_from: '2015-01-03',
          bands: [
            {
              from_z: '-99.9',
              name: 'very_low',
            },
          ],
          baseline: {
            min: 26,
            split: 'none',
            window: 52,
          },
          decimals: 0,
          display: 'LAYOFFS',
          format: 'count',
          grade: 'B',
          listing: {
            no_kit: null,
            question:
              'Will US initial unemployment claims for the week ending {period}, as first published, be at least {strike}?',
            strike_step: '5000',
            strikes: 3,
          },
          network: 'development',
          period: 'week_ending_saturday',
          precision: '1000',
          providers: [
            {
              checks: [],
              extract: [
                {
                  op: 'utf8',
                },
              ],
              group: 'us',
              id: 'sample-claims-csv',
              name: 'Typed-in Department of Labor figures, as CSV',
              request: {
                body: null,
                follow: [],
                headers: [],
                method: 'GET',
                paging: {
                  kind: 'none',
                },
                url: 'https://claims.sample.invalid/initial-claims.csv',
              },
              retain: 'bytes',
              role: 'record',
              text: 'none',
            },
          ],
          release: {
            days_after: 4,
            deadline_s: 1209600,
            exceptions: [
              {
                date: '2025-12-31',
                period: '2025-12-27',
              },
            ],
            first_print_within_s: 1209600,
            local: '08:30',
            zone: 'America/New_York',
          },
          revision: {
            freeze_after_s: 7200,
            provider: 'sample-claims-csv',
            settles: 'first_published',
          },
          rights: {
            attribution:
              'Source: U.S. Department of Labor, Employment and Training Administration. Typed in; not endorsed by DOL.',
            clause:
              'Development sample. No terms page was fetched for this rule, so it is valid on a development log alone.',
            clause_sha256: 'cc14b661f855b4a01bd75dc4dc06d8fac033dbac31baf6a59f0467880bf475a5',
            level: 'publish',
            retrieved: '2026-11-20',
            settlement: 'yes',
            terms_url: 'https://www.dol.gov/general/aboutdol/copyright',
          },
          slug: 'layoffs',
          source: 'US Department of Labor, figures typed into the project',
          spec: 'assay-rule/1',
          ticker: 'LAYOFFS',
          tie: {
            op: 'ge',
            text: 'A print equal to the strike resolves YES.',
          },
          title:
            'US initial unemployment insurance claims, seasonally adjusted, advance figure, week ending Saturday',
          unit: 'claims',
          version: 1,
        },
        versions: [
          {
            version: 1,
            applies_from: '2015-01-03',
            hash: '9f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
            seq: 1,
          },
        ],
      },
    },
  },
  getScoreHistory: {
    parameters: {},
    answers: {
      '503 tier_closed': {
        type: '/problems/tier_closed',
        title: 'The machine tier is closed',
        status: 503,
        detail: 'The machine tier is not open yet. Nothing is charged, and no key opens it.',
        instance: '/history/ETH',
        error: 'tier_closed',
      },
    },
  },
  getSettlementCsv: {
    parameters: {
      ticker: 'LAYOFFS',
    },
    answers: {
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "NOPE".',
        instance: '/indices/NOPE/settlement.csv',
        error: 'not_found',
      },
      '200 text/csv':
        'ticker,period,status,settlement_value,settleable,unsettled,withheld,required,have,report_hash,seq,cosigners\nLAYOFFS,2026-07-04,final,215000,true,,false,0,0,8cd558059a58496a3e879e525a8b0d9a10494c833b2f380e1f39896779e98aa5,5,\nLAYOFFS,2026-07-11,final,209000,true,,false,0,0,beca4a4049db7c5357c5c60c9190abfb6691ccfb90ecd899a5a388ebf18e3e5e,9,\nLAYOFFS,2026-07-18,final,216000,true,,false,0,0,a1c38f5c3836132e32150d7db41fc199ddd0fb46396157e6bba392a2c9bc40aa,13,\nLAYOFFS,2026-07-25,final,197000,true,,false,0,0,0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09,17,\n',
    },
  },
  getSettlementFile: {
    parameters: {
      path: '2026-07-30/LAYOFFS.json',
    },
    answers: {
      '200 text/csv':
        'ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url\nLAYOFFS,2026-07-04,215000,215000,,,,,,,\nLAYOFFS,2026-07-11,209000,209000,,,,,,,\nLAYOFFS,2026-07-18,216000,216000,,,,,,,\nLAYOFFS,2026-07-25,197000,197000,,,,,,,\n',
      '200 application/json': {
        type: 'assay-settlement/1',
        day: '2026-07-30',
        log: '113fd4a897143928de79099fbcfb69363f9fe058dc123762d8548a1f9a7c1e21',
        index: {
          ticker: 'LAYOFFS',
          slug: 'layoffs',
          title:
            'US initial unemployment insurance claims, seasonally adjusted, advance figure, week ending Saturday',
          network: 'development',
          unit: 'claims',
          format: 'count',
          decimals: 0,
          cadence: 'weekly',
          step: 7,
          grade: 'B',
          source: {
            name: 'US Department of Labor, figures typed into the project',
            terms_url: 'https://www.dol.gov/general/aboutdol/copyright',
            clause:
              'Development sample. No terms page was fetched for this rule, so it is valid on a development log alone.',
            attribution:
              'Source: U.S. Department of Labor, Employment and Training Administration. Typed in; not endorsed by DOL.',
            providers: [
              {
                id: 'sample-claims-csv',
                name: 'Typed-in Department of Labor figures, as CSV',
                role: 'record',
                url: 'https://claims.sample.invalid/initial-claims.csv',
              },
            ],
          },
          settlement: {
            rule_version: 1,
            rule_hash: '9f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
            settles: 'first_published',
            allowed: true,
            quorum: 2,
            freeze_after_s: 7200,
            tie: 'A print equal to the strike resolves YES.',
          },
          newest_reading: {
            period: '2026-07-25',
            status: 'final',
            value: 197000,
            value_decimal: '197000',
            settlement_value: 197000,
            settlement_value_decimal: '197000',
            revised: null,
            revised_decimal: null,
            revised_on: null,
            z: null,
            band: null,
            settleable: true,
            quorum: {
              required: 0,
              have: 0,
            },
            withheld: false,
            commitment: null,
            report_hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
            published_at: '2026-07-30T14:30:00Z',
            proof_day: null,
            bitcoin_height: null,
            proof_url: null,
          },
          newest_complete: {
            period: '2026-07-25',
            status: 'final',
            value: 197000,
            value_decimal: '197000',
            settlement_value: 197000,
            settlement_value_decimal: '197000',
            revised: null,
            revised_decimal: null,
            revised_on: null,
            z: null,
            band: null,
            settleable: true,
            quorum: {
              required: 0,
              have: 0,
            },
            withheld: false,
            commitment: null,
            report_hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
            published_at: '2026-07-30T14:30:00Z',
            proof_day: null,
            bitcoin_height: null,
            proof_url: null,
          },
          next_period: '2026-08-01',
          next_release_at: '2026-08-06T12:30:00Z',
          periods: [
            {
              period: '2026-07-25',
              status: 'final',
              value: 197000,
              value_decimal: '197000',
              settlement_value: 197000,
              settlement_value_decimal: '197000',
              revised: null,
              revised_decimal: null,
              revised_on: null,
              z: null,
              band: null,
              settleable: true,
              quorum: {
                required: 0,
                have: 0,
              },
              withheld: false,
              commitment: null,
              report_hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
              published_at: '2026-07-30T14:30:00Z',
              proof_day: null,
              bitcoin_height: null,
              proof_url: null,
            },
          ],
        },
        report: {
          report: {
            after: null,
            band: null,
            commitment: null,
            cosigners: {
              required: 0,
              set: null,
            },
            decimals: 0,
            dispersion: '0',
            grade: 'B',
            issue: 0,
            log: '113fd4a897143928de79099fbcfb69363f9fe058dc123762d8548a1f9a7c1e21',
            period: '2026-07-25',
            published_at: '2026-07-30T14:30:00Z',
            reads: [
              {
                outcome: 'ok',
                provider: 'sample-claims-csv',
                read_at: '2026-07-30T12:30:00Z',
                retain: 'bytes',
                role: 'record',
                snapshot: 'bdb86321ef86fb060f82f5069a6c154a18141b5cb6b2a3fcc5a2223286ae65bb',
                value: '197000',
              },
            ],
            reason: null,
            rule: {
              hash: '9f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
              version: 1,
            },
            settleable: true,
            status: 'final',
            supersedes: '9c9b4d79385662269fa5602796956ad28a2ec7a68e3d4488fe36c4c4b6c44b7a',
            ticker: 'LAYOFFS',
            type: 'assay-report/1',
            value: '197000',
            withheld: false,
            z: null,
          },
          hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
          print:
            '61737361795052318915b6acb9dd16d9cddc86036e80b6d3b16f332dfdee6cd65a145e9690e109489f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d098801030000000000e85f6b6a00000000b350000002000100',
          signature:
            '053d9c1870b6fdce03b7528a7a550cb109b309c2da4942a1203545e299a7ac7c53a283add9289cca86e62be0a1de0aff8a4ef7160141a30186773438838e4a0a',
          public_key: '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c',
          seq: 17,
          after_seq: null,
          cosignatures: [],
          dissents: [],
          quorum: {
            required: 0,
            have: 0,
            reached_at: '2026-07-30T14:30:00Z',
          },
          feed: null,
          proof: null,
        },
        kit: {
          ticker: 'LAYOFFS',
          title:
            'US initial unemployment insurance claims, seasonally adjusted, advance figure, week ending Saturday',
          network: 'development',
          question:
            'Will US initial unemployment claims for the week ending 2026-08-01, as first published, be at least {strike}?',
          period: '2026-08-01',
          unit: 'claims',
          decimals: 0,
          strikes: ['180000', '185000', '190000'],
          strike_step: '5000',
          tie: {
            op: 'ge',
            text: 'A print equal to the strike resolves YES.',
          },
          settlement: {
            release_at: '2026-08-06T12:30:00Z',
            final_from: '2026-08-06T14:30:00Z',
            void_after: '2026-08-20T12:30:00Z',
            on: 'settlement_value of LAYOFFS for 2026-08-01: the first final under rule version 1, signed by the publisher. Later revisions and corrections do not change it. It settles from when `settleable` of that period is true.',
            if_void:
              'Where the source publishes no number by its deadline the period is void: a signed report says so, and the market has no number to settle on.',
          },
          reference: {
            period: '2026-07-25',
            settlement_value: '197000',
          },
          rule: {
            version: 1,
            hash: '9f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab',
          },
          source: {
            name: 'US Department of Labor, figures typed into the project',
            attribution:
              'Source: U.S. Department of Labor, Employment and Training Administration. Typed in; not endorsed by DOL.',
          },
        },
        no_kit: null,
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'No Close names such a file.',
        instance: '/settlement/1999-01-01/LAYOFFS.json',
        error: 'not_found',
      },
    },
  },
  getSettlementIndex: {
    parameters: {},
    answers: {
      '200 application/json': {
        type: 'assay-settlement-index/1',
        day: '2026-07-30',
        version: 0,
        files: [
          {
            ticker: 'hidden',
            slug: 'hidden-level',
            path: '2026-07-30/hidden.json',
            sha256: '4df4180273293be2c09dcc4c22170146d087a48f6b146f34d35ca6e0fb93f8ac',
            csv: {
              path: '2026-07-30/hidden.csv',
              sha256: 'c691ce958ffc64bdf7771c8bf3d5fc3ba93231a8960d5f8283be1ed2f39cfb56',
            },
          },
        ],
        close: {
          log: '113fd4a897143928de79099fbcfb69363f9fe058dc123762d8548a1f9a7c1e21',
          content: {
            day: '2026-07-30',
            files: [
              {
                path: '2026-07-30/LAYOFFS.csv',
                sha256: '2aadbee4809543b683e56b6c2655118596e733109a2ed9f9675135d9aa1a9bc7',
              },
            ],
            items: [
              {
                period: '2026-07-25',
                report: '6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d',
                ticker: 'HIDDEN',
                value: null,
              },
            ],
          },
          version: 0,
          supersedes: null,
          signature:
            '806dd1f7c95a6a9805529b197f429c99c784a14a7928fdb51f6666fbeadb384ab32318cc59d1dce7b70a995ef74c73b1fd18e77a32aff3b0884f688d27c5c606',
          public_key: '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c',
        },
      },
    },
  },
  getSigner: {
    parameters: {},
    answers: {
      '200 application/json': {
        origin: 'development/ledger-test',
        network: 'development',
        log_id: '113fd4a897143928de79099fbcfb69363f9fe058dc123762d8548a1f9a7c1e21',
        report_key: {
          algorithm: 'Ed25519',
          public_key: '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c',
        },
        checkpoint_vkey:
          'development/ledger-test+769800c7+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU',
        next_report_key_sha256: 'b62e867fa2f33afe62d5d6b1642e1621d543307846b2a57b897e710919b76709',
        recovery_key_sha256: 'c5b940ed3f65c391965de8295fc5d25f474fa57b48d36eb10ad363b8539c1b79',
        keys: [
          {
            purpose: 'report',
            number: 0,
            key: '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c',
            from_seq: 0,
            to_seq: null,
            revoked: false,
          },
        ],
        policies: {
          cosigners_required: 0,
          witness_max_age_s: 0,
          witnesses_required: 0,
        },
        chain: null,
        program: null,
        cosigner_sets: [],
        series: {
          HIDDEN: 'f84aa6c2ba0bf88221fb74f2fb6ae20884339051951e8b5aeb753a2f66997758',
          LAYOFFS: '8915b6acb9dd16d9cddc86036e80b6d3b16f332dfdee6cd65a145e9690e10948',
        },
      },
    },
  },
  getStatus: {
    parameters: {},
    answers: {
      '200 application/json': {
        status: 'ok',
        state: 'ok',
        reasons: [],
        notice: null,
        network: 'development',
        origin: 'development/ledger-test',
        log_id: '113fd4a897143928de79099fbcfb69363f9fe058dc123762d8548a1f9a7c1e21',
        log_size: 22,
        log_root: 'C/2PUbxfDf9S8cva6n36d5kXiT1m6UhpbkKENDgWFQQ=',
        transport: 'node:http',
        now: '2026-07-31T00:00:10Z',
        indices: {
          HIDDEN: {
            newest_printed: '2026-07-25',
          },
          LAYOFFS: {
            newest_printed: '2026-07-25',
          },
        },
        anchors: {
          newest_batch: 0,
          stamped_at: '2026-07-11T00:10:00Z',
          stamped_size: 20,
          newest_attested: 0,
          bitcoin_height: 9,
          beacon_height: null,
          beacon_hash: null,
        },
        feeds: {
          chain: null,
          program: null,
          slot: null,
          newest_posted: null,
          waiting: null,
          waiting_since: null,
        },
        storage: {
          damaged: 0,
          repaired: 0,
          found: [],
          scrub: null,
        },
      },
      '503 halted': {
        state: 'halted',
        reasons: ['The record cannot be read: the database contradicts itself.'],
        notice: null,
        network: null,
        origin: null,
        log_id: null,
        log_size: 0,
        log_root: null,
        transport: 'node:http',
        now: '2026-08-01T00:00:00Z',
        indices: {},
        anchors: {
          newest_batch: null,
          stamped_at: null,
          stamped_size: null,
          newest_attested: null,
          bitcoin_height: null,
          beacon_height: null,
          beacon_hash: null,
        },
        feeds: {
          chain: null,
          program: null,
          slot: null,
          newest_posted: null,
          waiting: null,
          waiting_since: null,
        },
        storage: {
          damaged: 0,
          repaired: 0,
          found: [],
          scrub: null,
        },
        type: '/problems/halted',
        title: 'The service is halted',
        status: 503,
        detail: 'The record cannot be read: the database contradicts itself.',
        instance: '/status',
        error: 'halted',
      },
    },
  },
  getSubscription: {
    parameters: {},
    answers: {
      '200 application/json': {
        id: '4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d',
        email: 'desk@venue.example.com',
        url: 'https://hooks.venue.example.com/hook',
        types: ['score_event', 'heat_event'],
        tickers: null,
        symbols: null,
        filter_version: 0,
        created_at: '2026-08-01T00:00:00Z',
        state: 'active',
        reason: null,
        cursor: {
          seq: 4,
          ordinal: 0,
        },
        failing: null,
        deliveries: [],
      },
      '401 unauthorized': {
        type: '/problems/unauthorized',
        title: 'The secret of a subscription is needed',
        status: 401,
        detail: 'Send `Authorization: Bearer whsec_...` with the secret of a subscription.',
        instance: '/webhooks/subscription',
        error: 'unauthorized',
      },
    },
  },
  getTile: {
    parameters: {
      path: 'entries/000.p/22',
    },
    answers: {
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'The published log has no such tile.',
        instance: '/tile/9/000',
        error: 'not_found',
      },
    },
  },
  listAnchors: {
    parameters: {
      before: '1',
    },
    answers: {
      '200 application/json': {
        batches: [
          {
            batch: 0,
            state: 'attested',
            from: 0,
            to: 20,
            root: '8e89e9bf5d07494faaf1519cbf8d92384724ef23c85b3a131ccdbf18a1f01995',
            checkpoint_digest: '833c915af4939de7f1ec73a5fbafce0492881fdff33a0c6bbaa9d195899f056c',
            stamps: 17,
            tip: '47501ada5638ea7d90de03d0b7f2c1a2d9deade46db772331e74361b7e0ed415',
            salt: '5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a',
            stamped_at: '2026-07-11T00:10:00Z',
            calendars: [
              {
                state: 'attested',
                uri: 'http://127.0.0.1:4620',
              },
            ],
            bitcoin: [
              {
                height: 9,
                hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
                time: '2011-02-02T23:16:42Z',
              },
            ],
            proof: 'a8eb83e7bf46e96c0ec281dbd9ec757f34777fb1677ccf8973daab4a8dbab268',
            seq: 21,
            issue: 1,
          },
        ],
        next_before: null,
      },
    },
  },
  listArenaRounds: {
    parameters: {
      ticker: 'layoffs',
      from: '2026-08-02',
      to: '2026-08-04',
      limit: '20',
      cursor: 'cm91bmRzIDIwMjYtMDgtMDVUMDc6MzA6MDBaIGxheW9mZnMtMjAyNi0wOC0wNA',
    },
    answers: {
      '200 application/json': {
        rounds: [
          {
            id: 'layoffs-2026-08-04',
            ticker: 'LAYOFFS',
            slug: 'layoffs',
            name: 'US initial unemployment claims, seasonally adjusted, first print',
            statement: 'What will LAYOFFS be for 2026-08-04, as first published?',
            unit: 'claims',
            format: 'count',
            decimals: 0,
            step: 1,
            period: '2026-08-04',
            ref_period: '2026-08-03',
            ref_value: 1000,
            opens_at: '2026-08-05T01:30:00Z',
            closes_at: '2026-08-05T07:30:00Z',
            drand_round: 101703,
            opens_forecasts_at: '2026-08-05T07:31:00Z',
            state: 'open',
            forecasts: 1,
            arena: null,
            print: null,
            void_reason: null,
            house: [
              {
                handle: 'house-last',
                value: 1000,
              },
            ],
            url: '/v1/arena/rounds/layoffs-2026-08-04',
          },
        ],
        next_cursor: null,
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "nope".',
        instance: '/arena/rounds',
        error: 'not_found',
      },
    },
  },
  listBaseRates: {
    parameters: {},
    answers: {
      '200 application/json': {
        studies: [
          {
            class: 'crypto',
            source: {
              seq: 212,
              blob: '2968c81db75504faf5fa3efa973d3b403f8193f22b6f144422f2e5d6c6ee3e98',
              rule: '1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77',
              from: 0,
              to: 100,
              number: 1,
              error_one_in: {
                group: 720,
                study: 40,
              },
            },
            later_from: '2025-07-01T00:00:00Z',
            n: 80,
            left_out: {
              few_controls: 2,
              no_entry: 1,
              no_exit: 4,
              not_over: 3,
            },
            groups: [
              {
                bucket: 'down_15',
                breadth: 'alone',
                edge_7d_pts: null,
                n: 0,
                n_weeks: 0,
                n_assets: 0,
                edge_7d_ci: null,
                edge_7d_low_pts: null,
                edge_7d_high_pts: null,
                edge_7d_low_t: null,
                edge_7d_high_t: null,
                t_needed: null,
                n_dates: 0,
                top_date_share: 0,
                horizons: {
                  '1d': {
                    n: 0,
                    gone: 0,
                    up_share: null,
                    median_ret_pct: null,
                    mean_excess_pct: null,
                    quarter_excess_pct: null,
                    median_excess_pct: null,
                    three_quarter_excess_pct: null,
                  },
                  '7d': {
                    n: 0,
                    gone: 0,
                    up_share: null,
                    median_ret_pct: null,
                    mean_excess_pct: null,
                    quarter_excess_pct: null,
                    median_excess_pct: null,
                    three_quarter_excess_pct: null,
                  },
                  '30d': {
                    n: 0,
                    gone: 0,
                    up_share: null,
                    median_ret_pct: null,
                    mean_excess_pct: null,
                    quarter_excess_pct: null,
                    median_excess_pct: null,
                    three_quarter_excess_pct: null,
                  },
                },
                ordinary: {
                  '1d': {
                    up_share: null,
                    median_ret_pct: null,
                  },
                  '7d': {
                    up_share: null,
                    median_ret_pct: null,
                  },
                  '30d': {
                    up_share: null,
                    median_ret_pct: null,
                  },
                },
                parts: {
                  two_against: {
                    n: 0,
                    n_weeks: 0,
                    n_assets: 0,
                    edge_7d_ci: null,
                    edge_7d_low_pts: null,
                    edge_7d_high_pts: null,
                    edge_7d_low_t: null,
                    edge_7d_high_t: null,
                    t_needed: null,
                  },
                  chosen: {
                    n: 0,
                    n_weeks: 0,
                    n_assets: 0,
                    edge_7d_ci: null,
                    edge_7d_low_pts: null,
                    edge_7d_high_pts: null,
                    edge_7d_low_t: null,
                    edge_7d_high_t: null,
                    t_needed: null,
                  },
                  later: {
                    n: 0,
                    n_weeks: 0,
                    n_assets: 0,
                    edge_7d_ci: null,
                    edge_7d_low_pts: null,
                    edge_7d_high_pts: null,
                    edge_7d_low_t: null,
                    edge_7d_high_t: null,
                    t_needed: null,
                  },
                  other_assets: {
                    n: 0,
                    n_weeks: 0,
                    n_assets: 0,
                    edge_7d_ci: null,
                    edge_7d_low_pts: null,
                    edge_7d_high_pts: null,
                    edge_7d_low_t: null,
                    edge_7d_high_t: null,
                    t_needed: null,
                  },
                },
                withheld: [
                  {
                    reason: 'few_weeks',
                    detail: 'The events are of 0 weeks, and 5 are needed.',
                  },
                ],
              },
            ],
          },
        ],
      },
    },
  },
  listFullReceipts: {
    parameters: {},
    answers: {
      '503 tier_closed': {
        type: '/problems/tier_closed',
        title: 'The machine tier is closed',
        status: 503,
        detail: 'The machine tier is not open yet. Nothing is charged, and no key opens it.',
        instance: '/receipts/full',
        error: 'tier_closed',
      },
    },
  },
  listIndices: {
    parameters: {
      view: 'light',
    },
    answers: {
      '200 application/json': [
        {
          ticker: 'hidden',
          slug: 'hidden-level',
          title: 'A level that terms keep out of the log',
          network: 'development',
          unit: 'claims',
          format: 'count',
          decimals: 0,
          cadence: 'weekly',
          step: 7,
          grade: 'C',
          source: {
            name: 'US Department of Labor, figures typed into the project',
            terms_url: 'https://www.dol.gov/general/aboutdol/copyright',
            clause:
              'Development sample. No terms page was fetched for this rule, so it is valid on a development log alone.',
            attribution:
              'Source: U.S. Department of Labor, Employment and Training Administration. Typed in; not endorsed by DOL.',
            providers: [
              {
                id: 'sample-claims-csv',
                name: 'Typed-in Department of Labor figures, as CSV',
                role: 'record',
                url: 'https://claims.hidden.invalid/initial-claims.csv',
              },
            ],
          },
          settlement: {
            rule_version: 1,
            rule_hash: 'c7750519fca3a4181a3a51922d3827a574f7f3b2e1e99df92cade78d6ca4f40b',
            settles: 'first_published',
            allowed: false,
            quorum: 2,
            freeze_after_s: 0,
            tie: 'A print equal to the strike resolves YES.',
          },
          newest_reading: {
            period: '2026-07-25',
            status: 'final',
            value: null,
            value_decimal: null,
            settlement_value: null,
            settlement_value_decimal: null,
            revised: null,
            revised_decimal: null,
            revised_on: null,
            z: 19.6,
            band: 'very_high',
            settleable: false,
            quorum: {
              required: 0,
              have: 0,
            },
            withheld: true,
            commitment: '25c007d92cabbcd23b63d0ceb5afcf776142e312f16b3d60d065f867fb8e5a09',
            report_hash: '6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d',
            published_at: '2026-07-30T12:30:00Z',
            proof_day: '2026-07-11',
            bitcoin_height: 9,
            proof_url:
              '/proof/6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d?format=ots',
          },
          newest_complete: {
            period: '2026-07-25',
            status: 'final',
            value: null,
            value_decimal: null,
            settlement_value: null,
            settlement_value_decimal: null,
            revised: null,
            revised_decimal: null,
            revised_on: null,
            z: 19.6,
            band: 'very_high',
            settleable: false,
            quorum: {
              required: 0,
              have: 0,
            },
            withheld: true,
            commitment: '25c007d92cabbcd23b63d0ceb5afcf776142e312f16b3d60d065f867fb8e5a09',
            report_hash: '6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d',
            published_at: '2026-07-30T12:30:00Z',
            proof_day: '2026-07-11',
            bitcoin_height: 9,
            proof_url:
              '/proof/6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d?format=ots',
          },
          next_period: '2026-08-01',
          next_release_at: '2026-08-06T12:30:00Z',
          periods: [
            {
              period: '2026-07-25',
              status: 'final',
              value: null,
              value_decimal: null,
              settlement_value: null,
              settlement_value_decimal: null,
              revised: null,
              revised_decimal: null,
              revised_on: null,
              z: 19.6,
              band: 'very_high',
              settleable: false,
              quorum: {
                required: 0,
                have: 0,
              },
              withheld: true,
              commitment: '25c007d92cabbcd23b63d0ceb5afcf776142e312f16b3d60d065f867fb8e5a09',
              report_hash: '6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d',
              published_at: '2026-07-30T12:30:00Z',
              proof_day: '2026-07-11',
              bitcoin_height: 9,
              proof_url:
                '/proof/6061bae2a45bb0664409ca87219df885de9693ec6a5c91519e0a8f15b6aa780d?format=ots',
            },
          ],
        },
      ],
      '400 bad_request': {
        errors: [
          {
            pointer: '/colour',
            detail: 'no such parameter; the parameters are view',
          },
        ],
        type: '/problems/bad_request',
        title: 'The request could not be understood',
        status: 400,
        detail: '/colour: no such parameter; the parameters are view',
        instance: '/indices',
        error: 'bad_request',
      },
      '503 halted': {
        type: '/problems/halted',
        title: 'The service is halted',
        status: 503,
        detail: 'The record cannot be read now: /status says why.',
        instance: '/indices',
        error: 'halted',
      },
    },
  },
  listPeriods: {
    parameters: {
      ticker: 'LAYOFFS',
      from: '2026-07-11',
      to: '2026-07-18',
      limit: '100',
      cursor: 'cGVyaW9kcyAyMDI2LTA3LTI1',
    },
    answers: {
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'There is no index "NOPE".',
        instance: '/indices/NOPE/periods',
        error: 'not_found',
      },
      '200 application/json': {
        ticker: 'LAYOFFS',
        periods: [
          {
            period: '2026-07-25',
            status: 'final',
            value: 197000,
            value_decimal: '197000',
            settlement_value: 197000,
            settlement_value_decimal: '197000',
            revised: null,
            revised_decimal: null,
            revised_on: null,
            z: null,
            band: null,
            settleable: true,
            quorum: {
              required: 0,
              have: 0,
            },
            withheld: false,
            commitment: null,
            report_hash: '0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09',
            published_at: '2026-07-30T14:30:00Z',
            proof_day: '2026-07-11',
            bitcoin_height: 9,
            proof_url:
              '/proof/0bfe761b4b2d5bee915b9a746b8dd5fcb11810bc02d57c952809a4e6d8138d09?format=ots',
            unsettled: null,
          },
        ],
        next_cursor: null,
      },
    },
  },
  listProblems: {
    parameters: {
      format: 'json',
    },
    answers: {
      '200 text/html': '<!doctype html>\n<html lang="en">\n<head>\n',
      '200 application/json': [
        {
          error: 'bad_request',
          status: 400,
          title: 'The request could not be understood',
          type: '/problems/bad_request',
          meaning:
            'A query parameter is wrong, missing or unknown, or the path has broken percent-encoding.',
          remedy: 'Read `errors`, which names each parameter, and correct the request.',
        },
      ],
    },
  },
  listQuestions: {
    parameters: {
      state: 'all',
      symbol: 'SOL',
      from: '2026-03-01',
      to: '2026-03-01',
      limit: '50',
      cursor:
        'cXVlc3Rpb25zIDIwMjYtMDMtMDFUMDA6MDA6MDBaIFNPTCBkN2QzOTg4Ny0zODg1LTgzNjAtYTBiZS1mODFhNWNmNDVjMzA',
    },
    answers: {
      '200 application/json': {
        questions: [
          {
            id: 'd7d39887-3885-8360-a0be-f81a5cf45c30',
            event_id: 'bf9dc03e-b9a2-8161-bff0-a42826f82d01',
            symbol: 'SOL',
            name: 'SOL',
            question:
              'Will the Activity score of SOL be 40 or more at its first good tick from 2026-03-02T00:00:00Z on?',
            state: 'open',
            opened_at: '2026-03-01T00:00:00Z',
            closes_at: '2026-03-01T04:00:00Z',
            resolves_at: '2026-03-02T00:00:00Z',
            threshold: 40,
            tolerance_s: 3600,
            rule: 'dc53c870175b52285ced44511314153926a2537a261fd027e49e6f1ca5568ee6',
            score_rule: '7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c',
            nulls: {
              always_under: 0,
              climatology: 50,
              persistence: 100,
            },
            service: {
              basis: 'none',
              group: {
                breadth: 'alone',
                bucket: 'up_5',
              },
              of: 0,
              p: 50,
              yes: 0,
            },
            answers: 0,
            crowd: null,
            outcome: null,
            void: false,
            score: null,
            resolved_at: null,
            scores: null,
            proof: {
              digest: '0ed04c50e22324dd69b34ff84de637011f0aeacd4dac8e93ff7e52b8382dfd6a',
              stamped_at: null,
              bitcoin_height: null,
              proof_url: null,
            },
          },
        ],
        scores: {
          resolved: 0,
          void: 0,
          service: null,
          nulls: null,
          skill: null,
          crowd: null,
        },
        calibration: [
          {
            from: 0,
            to: 10,
            n: 0,
            yes: 0,
            mean_p: null,
            yes_share: null,
            wilson: null,
          },
        ],
        next_cursor: null,
      },
    },
  },
  listReceipts: {
    parameters: {
      symbol: 'ETH',
      from: '2026-08-27',
      to: '2026-09-26',
      limit: '30',
      cursor: 'cmVjZWlwdHMgMQ',
    },
    answers: {
      '200 application/json': {
        events: [
          {
            id: 'b1efe8e6-c928-8c2c-bee8-77539e9e6740',
            status: 'resolved',
            symbol: 'BTC',
            name: 'Bitcoin',
            class: 'crypto',
            opened_at: '2026-08-27T03:00:00Z',
            closed_at: '2026-08-27T10:00:00Z',
            close_reason: 'age',
            score_at_open: 90,
            peak_score: 95,
            peak_heat: 95,
            heat_at_open: 95,
            move_24h: 8.42,
            vol_mult: 3.15,
            breadth: {
              down: 0,
              of: 3,
              up: 2,
            },
            rule: '1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77',
            receipts: {
              '24h': {
                due_at: '2026-08-28T03:00:00Z',
                status: 'resolved',
                ret_pct: -0.58,
                resolved_at: '2026-08-28T03:00:00Z',
                void_reason: null,
                benchmark: null,
                benchmark_ret_pct: null,
                benchmark_reason: 'own',
              },
              '7d': {
                due_at: '2026-09-03T03:00:00Z',
                status: 'resolved',
                ret_pct: -1.13,
                resolved_at: '2026-09-03T03:00:00Z',
                void_reason: null,
                benchmark: null,
                benchmark_ret_pct: null,
                benchmark_reason: 'own',
              },
              '30d': {
                due_at: '2026-09-26T03:00:00Z',
                status: 'resolved',
                ret_pct: -1.32,
                resolved_at: '2026-09-26T03:00:00Z',
                void_reason: null,
                benchmark: null,
                benchmark_ret_pct: null,
                benchmark_reason: 'own',
              },
            },
            proofs: {
              open: {
                digest: '49708528029b75901a503af961b348e7cf98247ab89811a987b4ec9a6c3ff885',
                stamped_at: '2026-09-27T00:01:00Z',
                bitcoin_height: 9,
                proof_url:
                  '/receipts/proof?event_id=b1efe8e6-c928-8c2c-bee8-77539e9e6740&horizon=open&format=ots',
              },
              '24h': {
                digest: '199555232d42cb8466fedca46883875458df28e259f7c7c15007a723238de246',
                stamped_at: '2026-09-27T00:01:00Z',
                bitcoin_height: 9,
                proof_url:
                  '/receipts/proof?event_id=b1efe8e6-c928-8c2c-bee8-77539e9e6740&horizon=24h&format=ots',
              },
              '7d': {
                digest: '04a5a75bf7fd0a79672e002f207d434a7f7f7cb3c154a186a1463aecd32d9e9c',
                stamped_at: '2026-09-27T00:01:00Z',
                bitcoin_height: 9,
                proof_url:
                  '/receipts/proof?event_id=b1efe8e6-c928-8c2c-bee8-77539e9e6740&horizon=7d&format=ots',
              },
              '30d': {
                digest: 'f6d51a700a499c09d701aa2c6259e84f58653ddf1b348aa16afccf389440b9f0',
                stamped_at: '2026-09-27T00:01:00Z',
                bitcoin_height: 9,
                proof_url:
                  '/receipts/proof?event_id=b1efe8e6-c928-8c2c-bee8-77539e9e6740&horizon=30d&format=ots',
              },
            },
          },
        ],
      },
    },
  },
  listStatements: {
    parameters: {
      report: '6e43db48a26422c004205bc194afffdb3ffcbb3f632ded84fb9c119de88e0805',
    },
    answers: {
      '200 application/json': {
        report: '6e43db48a26422c004205bc194afffdb3ffcbb3f632ded84fb9c119de88e0805',
        seq: 3,
        ticker: 'LAYOFFS',
        period: '2026-07-25',
        status: 'provisional',
        quorum: {
          required: 2,
          have: 2,
          reached_at: '2026-07-30T12:30:00Z',
        },
        words: [
          {
            name: 'seed 21',
            seq: 5,
            at: '2026-07-30T12:30:00Z',
            word: {
              print_signature:
                'e9415ee6c1db560fe007c7b07c66a12ae072a8a1b047dde5c7842c93b375313ebd3e1911e86d034e92e40095f278f6edeef310144722aba3d103ed67fe60fa0a',
              signature:
                'd4624ce02643bd2674a1601166246d41eb234a0fbd6fd468cf59aceed907a7a1d4a0adce4550bb346e50bc1f3ca477587b55e3c899ec328ce379e0f6dd36420c',
              statement: {
                after: null,
                basis: 'own_read',
                cosigner: 'd54207da194977dcf46adbfec2bc2e75b52d5a8a42184fedfdc00024f0e3e8da',
                entry: {
                  leaf: 'eb2a176be52acb04db9bc2a8755e21d253ff7fea0e21f37b4bf8d27fa81ef203',
                  seq: 3,
                },
                head: {
                  root: '4513f6c0449fee7213729155d42ef2e4436c699f4afc00dc477d968bcb206869',
                  size: 5,
                },
                kept: {
                  status: 'provisional',
                  value: '197000',
                },
                log: '443885c4d4c60e20a419bf3d25d6b160fe1290f882b6987aee0cd32aaa69a01c',
                own: {
                  reads: [
                    {
                      outcome: 'ok',
                      provider: 'sample-claims-csv',
                      read_at: '2026-07-30T12:30:00Z',
                      retain: 'bytes',
                      role: 'record',
                      snapshot: '63d889b6b2cf177bace9f1599bf0bc43378371cecbec2995bd733ac8b941c5fc',
                      value: '197000',
                    },
                  ],
                  status: 'provisional',
                  value: '197000',
                },
                print:
                  '61737361795052318052c4acdf68b3913b071944d15d9489ca4386d1216ea5a60eb37a2070b46a989f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab6e43db48a26422c004205bc194afffdb3ffcbb3f632ded84fb9c119de88e08058801030000000000c8436b6a00000000b350000001000000',
                reason: null,
                report: '6e43db48a26422c004205bc194afffdb3ffcbb3f632ded84fb9c119de88e0805',
                set: '90defdbd1cd13a6defe26bbfbce72d90814bd97ad738e04ce3a1ff5b13afb777',
                signed_at: '2026-07-30T12:30:00Z',
                type: 'assay-statement/1',
                verdict: 'agree',
              },
              dissent_signature: null,
            },
          },
        ],
        abstentions: [],
      },
      '404 not_found': {
        type: '/problems/not_found',
        title: 'There is nothing by that name',
        status: 404,
        detail: 'The log shows no report with that hash.',
        instance: '/statements',
        error: 'not_found',
      },
    },
  },
  pauseSubscription: {
    parameters: {},
    answers: {
      '200 application/json': {
        id: '4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d',
        email: 'desk@venue.example.com',
        url: 'https://hooks.venue.example.com/hook',
        types: ['print', 'close'],
        tickers: ['LAYOFFS'],
        symbols: null,
        filter_version: 1,
        created_at: '2026-08-01T00:00:00Z',
        state: 'paused',
        reason: 'subscriber',
        cursor: {
          seq: 4,
          ordinal: 0,
        },
        failing: null,
        deliveries: [
          {
            message_id: 'msg_test_9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c',
            type: 'test',
            at: '2026-08-01T00:00:00Z',
            outcome: '200',
            delivered: true,
            ms: 83,
          },
        ],
      },
    },
  },
  postAnswer: {
    parameters: {
      id: 'd7d39887-3885-8360-a0be-f81a5cf45c30',
    },
    answers: {
      '201 application/json': {
        recorded: true,
        receipt: {
          type: 'assay-receipt/1',
          log: '59a13ea5c782461e9babc2c34dfe694b7ba6a4547150cd9e7f0a348d3852b27a',
          subject: 'd7d39887-3885-8360-a0be-f81a5cf45c30',
          ordinal: 0,
          leaf: 'c0b333c34bc50277c99e2d819385af91bed55c2351ae9e6b5e89206f14a282cd',
          nonce: '3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c',
          key: '8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c',
          signature:
            '7990e8201324145b5fb91d24e8514ea5f20a56eccfa0a977ed68ea16c8fcf56816f56461f6f9287546492acc9bfba02d93f652fd1bfa8b0732f93cf10d3f670e',
          held: 'one_disk',
        },
        salt: '61c78614fff1a8e0e81dae41dd8be024006826f45cbd100bd1351b41daec615e',
      },
    },
    sent: {
      answer: 'yes',
      nonce: '3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c',
    },
  },
  postStatement: {
    parameters: {},
    answers: {
      '201 application/json': {
        state: 'recorded',
        entry: {
          seq: 6,
          leaf: '5494622d15d40034beb4341c399099f913f088b2c41f140c7dae28aadf16725f',
        },
        quorum: {
          required: 2,
          have: 2,
          reached_at: '2026-07-30T12:30:00Z',
        },
        proof:
          'c2sp.org/tlog-proof@v1\nindex 6\n3GKzVVVFkSjN/5fk9sZ7KvPVlQzQcOcKRn5TUpL08sc=\nM1qaczjF0j7ItZgit35ygzNkvPM9eSpZef10SyxawoE=\n\ndevelopment/ledger-test\n7\nYpE0ySoK6fH7XI1LLKQXxZtjTlUhPdMua80s4DbBVvs=\n\n— development/ledger-test dpgAx71h1yNd0errgVC6zSMsFw7Pr+wEs9gLRGPkOaeWxcKuJ268hYsLiwQd5ER38YeOw3xrhGSQqgyBwkmt0+Zqhgs=\n',
      },
    },
    sent: {
      statement: {
        type: 'assay-statement/1',
        log: '443885c4d4c60e20a419bf3d25d6b160fe1290f882b6987aee0cd32aaa69a01c',
        report: '6e43db48a26422c004205bc194afffdb3ffcbb3f632ded84fb9c119de88e0805',
        print:
          '61737361795052318052c4acdf68b3913b071944d15d9489ca4386d1216ea5a60eb37a2070b46a989f3feb60514b23f85f5f9708ad0a67217cb1e2ff4f255670cd9df7f5765e51ab6e43db48a26422c004205bc194afffdb3ffcbb3f632ded84fb9c119de88e08058801030000000000c8436b6a00000000b350000001000000',
        entry: {
          seq: 3,
          leaf: 'eb2a176be52acb04db9bc2a8755e21d253ff7fea0e21f37b4bf8d27fa81ef203',
        },
        head: {
          size: 6,
          root: '97d5f21fe5da0bf973a836a41f92a309a3dc5479ca2804685cd413844f6e6896',
        },
        cosigner: '511c34a1a2cb521df16bb246b8de8e7997ce235c7e76b22a3d7503a24819dd8a',
        set: '90defdbd1cd13a6defe26bbfbce72d90814bd97ad738e04ce3a1ff5b13afb777',
        verdict: 'agree',
        basis: 'own_read',
        kept: {
          status: 'provisional',
          value: '197000',
        },
        own: {
          status: 'provisional',
          value: '197000',
          reads: [
            {
              provider: 'sample-claims-csv',
              role: 'record',
              retain: 'bytes',
              read_at: '2026-07-30T12:30:00Z',
              outcome: 'ok',
              value: '197000',
              snapshot: '63d889b6b2cf177bace9f1599bf0bc43378371cecbec2995bd733ac8b941c5fc',
            },
            {
              provider: 'sample-claims-json',
              role: 'mirror',
              retain: 'bytes',
              read_at: '2026-07-30T12:30:00Z',
              outcome: 'ok',
              value: '197000',
              snapshot: 'bebaa992cd4d044320b15d7bf7909cf69d3b28005b0cf0e2bf65442f2c7a743c',
            },
          ],
        },
        reason: null,
        after: null,
        signed_at: '2026-07-30T12:30:00Z',
      },
      signature:
        'cc9a4d7d65f8437210a38ca32711b5146329b70dd30f1fab1619fb3e9f72e5b2367262024bfbb2caa67d89adc68b0513ca738d9d585d62ef78b36fdc32767305',
      print_signature:
        'a6ed632f1f8f0e5c114cdd4124f2a6af26bdf319b487f3387e95a447d3c95cf65848bd62ef63a929ea778b5e2deaa89484576ab2a2ba66d7d377c6103a98d700',
      dissent_signature: null,
    },
  },
  replaySubscription: {
    parameters: {},
    answers: {
      '200 application/json': {
        id: '4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d',
        email: 'desk@venue.example.com',
        url: 'https://hooks.venue.example.com/hook',
        types: ['print', 'close'],
        tickers: ['LAYOFFS'],
        symbols: null,
        filter_version: 1,
        created_at: '2026-08-01T00:00:00Z',
        state: 'active',
        reason: null,
        cursor: {
          seq: 1,
          ordinal: 0,
        },
        failing: null,
        deliveries: [
          {
            message_id: 'msg_test_9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c',
            type: 'test',
            at: '2026-08-01T00:00:00Z',
            outcome: '200',
            delivered: true,
            ms: 83,
          },
        ],
      },
    },
    sent: {
      seq: 1,
    },
  },
  resumeSubscription: {
    parameters: {},
    answers: {
      '200 application/json': {
        id: '4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d',
        email: 'desk@venue.example.com',
        url: 'https://hooks.venue.example.com/hook',
        types: ['print', 'close'],
        tickers: ['LAYOFFS'],
        symbols: null,
        filter_version: 1,
        created_at: '2026-08-01T00:00:00Z',
        state: 'active',
        reason: null,
        cursor: {
          seq: 4,
          ordinal: 0,
        },
        failing: null,
        deliveries: [
          {
            message_id: 'msg_test_9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c',
            type: 'test',
            at: '2026-08-01T00:00:00Z',
            outcome: '200',
            delivered: true,
            ms: 83,
          },
        ],
      },
    },
  },
  rotateSubscription: {
    parameters: {},
    answers: {
      '200 application/json': {
        secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
        previous_until: '2026-08-02T00:00:00Z',
      },
    },
  },
  subscribeWebhook: {
    parameters: {},
    answers: {
      '200 application/json': {
        ok: true,
        secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
      },
    },
    sent: {
      email: 'desk@venue.example.com',
      url: 'https://hooks.venue.example.com/hook',
      types: ['print', 'close'],
    },
  },
  testSubscription: {
    parameters: {},
    answers: {
      '200 application/json': {
        message_id: 'msg_test_9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c9c',
        type: 'test',
        at: '2026-08-01T00:00:00Z',
        outcome: '200',
        delivered: true,
        ms: 83,
      },
    },
  },
  unsubscribe: {
    parameters: {},
    answers: {
      '200 application/json': {
        deleted: true,
      },
    },
  },
};
