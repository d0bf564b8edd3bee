import test from 'ava';
import { agentContract } from './agent-contract.ts';
import { agentKinds } from './agent-kinds.ts';
import { hostileReplies } from './hostile-replies.ts';

for (const kind of agentKinds) {
  agentContract(test, kind);
  hostileReplies(test, kind);
}
