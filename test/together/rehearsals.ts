/** Tests of rehearsals, and examples that run calls, in one thread. */
import '#test/examples/n8n.test.ts';
import '#test/examples/rehearsals.test.ts';
import '#test/rehearsals/personas.test.ts';
import '#test/rehearsals/rehearsals.test.ts';
import '#test/rehearsals/runs.test.ts';
import '#test/servers/supervise.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
