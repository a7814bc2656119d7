import { testOperation } from './operation-suite.ts';

testOperation('utf8');
