import test from 'ava';
import { createCourse } from '#sip/trunks/course.ts';

const place = (name: string) => ({ uri: `sip:${name}`, isOwn: false, key: null });

test('the places that a trunk sends on to come next, each once', (t) => {
  const course = createCourse([place('a')]);
  t.deepEqual(course.next(), place('a'));
  t.true(course.redirect([place('b'), place('c')]));
  t.deepEqual(course.next(), place('b'));
  t.true(course.redirect([place('a'), place('d'), place('b')]));
  t.deepEqual([course.next(), course.next(), course.next()], [place('d'), place('c'), undefined]);
});

test('a trunk that sends on to where the call came from leads nowhere', (t) => {
  const course = createCourse([place('a')]);
  course.next();
  t.false(course.redirect([place('a')]));
  t.is(course.next(), undefined);
});

test('five redirects are followed, however many there are', (t) => {
  const course = createCourse([place('0')]);
  let followed = 0;
  while (course.next() !== undefined) {
    followed += 1;
    course.redirect([place(String(followed))]);
  }
  t.is(followed, 6);
  t.is(createCourse([place('a')]).redirect('bcdefghi'.split('').map(place)), true);
});

test('the places that a trunk has beside come behind those that it sends on to', (t) => {
  const course = createCourse([place('a'), place('b')]);
  course.next();
  t.false(course.redirect([place('b')]));
  t.true(course.redirect([place('c')]));
  t.deepEqual([course.next(), course.next(), course.next()], [place('c'), place('b'), undefined]);
});
