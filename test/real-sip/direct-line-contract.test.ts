import { realLineContract } from './line-contract.ts';

realLineContract('direct');
