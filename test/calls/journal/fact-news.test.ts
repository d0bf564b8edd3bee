import test from 'ava';
import { createFactNews } from '#src/calls/journal/fact-news.ts';

test('who watches a call hears of its facts, and of no other call', (t) => {
  const news = createFactNews();
  const heard: string[] = [];
  news.watch('a', () => heard.push('first'));
  news.watch('a', () => heard.push('second'));
  news.watch('b', () => heard.push('other'));
  news.tell('a');
  t.deepEqual(heard, ['first', 'second']);
  news.tell('c');
  t.is(heard.length, 2);
});

test('a watch that was ended is silent, and the other one with the same function goes on', (t) => {
  const news = createFactNews();
  let count = 0;
  const onFact = (): void => void (count += 1);
  const end = news.watch('a', onFact);
  const endOther = news.watch('a', onFact);
  end();
  end();
  news.tell('a');
  t.is(count, 1);
  endOther();
  news.watch('a', onFact);
  endOther();
  news.tell('a');
  t.is(count, 2);
});

test('a watch may be ended while it is told', (t) => {
  const news = createFactNews();
  let count = 0;
  const end = news.watch('a', () => {
    count += 1;
    end();
  });
  news.tell('a');
  news.tell('a');
  t.is(count, 1);
});
