import test from 'ava';
import { createCallWorld } from '#test/helpers/call-world.ts';

/** V8 lets an object that is copied property by property, as XState copies contexts, have so many before it turns slow. */
const most = 16;

test('the contexts of a call and its conversation stay small: they are copied at each change', (t) => {
  const { actor, answer } = createCallWorld();
  answer();
  const call = actor.getSnapshot();
  const conversation = call.children.conversation?.getSnapshot();
  for (const context of [call.context, conversation?.context ?? {}]) {
    const fields = Object.keys(context).length;
    t.true(fields > 0 && fields <= most, `${fields} fields`);
  }
});
