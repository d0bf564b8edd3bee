/** Tests of the agent kinds whose servers stream or keep state, in one thread. */
import '#test/agents/broken-endpoints.test.ts';
import '#test/agents/broken-platforms.test.ts';
import '#test/agents/built-in.test.ts';
import '#test/agents/langgraph.test.ts';
import '#test/agents/langgraph/read-run.test.ts';
import '#test/agents/mastra.test.ts';
import '#test/agents/n8n.test.ts';
import '#test/agents/openai-compatible.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
