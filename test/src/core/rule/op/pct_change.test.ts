import { testOperation } from './operation-suite.ts';

testOperation('pct_change');
