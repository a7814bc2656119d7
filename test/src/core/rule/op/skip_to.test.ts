import { testOperation } from './operation-suite.ts';

testOperation('skip_to');
