import test from 'ava';
import { explain } from '#src/console/language/explain.ts';

test('what the API often says is told in Korean, its numbers included', (t) => {
  t.is(explain('Too small: expected number to be >=60', 'ko'), '60 이상이어야 합니다.');
  t.is(explain('The URL must begin with https://.', 'ko'), 'https://로 시작하는 주소만 사용할 수 있습니다.');
});

test('English keeps the words of the API, but for the terse ones', (t) => {
  t.is(explain('Too big: expected number to be <=1800', 'en'), 'This must be at most 1800.');
  t.is(explain('The URL must begin with https://.', 'en'), 'The URL must begin with https://.');
});

test('what nobody translated stays as it is', (t) => {
  for (const language of ['en', 'ko'] as const) t.is(explain('Something new.', language), 'Something new.');
});
