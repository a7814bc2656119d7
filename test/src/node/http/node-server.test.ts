import { nodeServer } from '@assay/node/http/node-server';
import { httpContract } from './contract.ts';

httpContract('node:http', nodeServer);
