/** Tests of replies of agents, trials of agents, and the contract of all kinds, in one thread. */
import '#test/agents/speakable.test.ts';
import '#test/agents/start-reply.test.ts';
import '#test/agents/trial.test.ts';
import '#test/agents/trial/advice.test.ts';
import '#test/agents/webhook.test.ts';
import '#test/agents/wire.test.ts';
import '#test/contract/agents.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
