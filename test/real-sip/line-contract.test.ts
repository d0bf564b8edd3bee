import { realLineContract } from './line-contract.ts';

realLineContract('freeswitch');
