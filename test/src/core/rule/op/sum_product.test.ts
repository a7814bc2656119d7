import { testOperation } from './operation-suite.ts';

testOperation('sum_product');
