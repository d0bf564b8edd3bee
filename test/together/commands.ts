/** Tests of the commands, in one thread. */
import '#test/commands/admin.test.ts';
import '#test/commands/call.test.ts';
import '#test/commands/call-view.test.ts';
import '#test/commands/credentials.test.ts';
import '#test/commands/rehearse.test.ts';
import '#test/commands/trials.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
