import test from 'ava';
import { createToldMessages } from '#src/agents/langgraph/told-messages.ts';

const user = (content: string) => ({ role: 'user', content }) as const;
const agent = (content: string) => ({ role: 'assistant', content }) as const;

test('a thread is told what it does not hold, and of that only what the user said', (t) => {
  const told = createToldMessages();
  const first = [agent('Hello.'), user('One.')];
  t.deepEqual(told.untold(first), [user('One.')]);
  told.hold(first);
  const second = [...first, agent('Yes?'), user('Two.'), user('Three.')];
  t.deepEqual(told.untold(second), [user('Two.'), user('Three.')]);
});

test('what no run has taken is told with the next one', (t) => {
  const told = createToldMessages();
  told.hold([user('One.')]);
  t.deepEqual(told.untold([user('One.'), user('Two.')]), [user('Two.')]);
  t.deepEqual(told.untold([user('One.'), user('Two.'), user('Three.')]), [user('Two.'), user('Three.')]);
});

test('who asks twice is told the newest words twice, and an earlier turn takes nothing back', (t) => {
  const told = createToldMessages();
  told.hold([user('One.'), user('Two.')]);
  t.deepEqual(told.untold([user('One.'), user('Two.')]), [user('Two.')]);
  told.hold([user('One.')]);
  t.deepEqual(told.untold([user('One.'), user('Two.'), user('Three.')]), [user('Three.')]);
});
