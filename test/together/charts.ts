/** Tests of the charts, the domain and what needs nothing else, in one thread. */
import '#test/agenda.test.ts';
import '#test/charts/charts.test.ts';
import '#test/config/config.test.ts';
import '#test/domain/conversations.test.ts';
import '#test/domain/numbers.test.ts';
import '#test/domain/open-late.test.ts';
import '#test/domain/tasks.test.ts';
import '#test/logger.test.ts';
import '#test/machines/call.test.ts';
import '#test/machines/charts.test.ts';
import '#test/machines/conversation.test.ts';
import '#test/machines/example.test.ts';
import '#test/machines/legs.test.ts';
import '#test/machines/lines.test.ts';
import '#test/machines/listening.test.ts';
import '#test/machines/transfers.test.ts';
import '#test/virtual-clock.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
