import { testOperation } from './operation-suite.ts';

testOperation('count');
