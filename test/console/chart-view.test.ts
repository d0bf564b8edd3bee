import test from 'ava';
import { firstView, scaleOf, scrollAround, viewAfter } from '#src/console/call/chart-view.ts';

const picture = { width: 2_000, height: 1_000 };
const frame = { width: 500, height: 400 };

test('a chart is legible at first and follows the state', (t) => {
  t.true(firstView.isFollowing);
  t.is(scaleOf(firstView, picture, frame), 0.8);
});

test('the whole chart fits its frame, and a small one is not blown up', (t) => {
  const whole = viewAfter(firstView, 'whole', 0.8);
  t.is(scaleOf(whole, picture, frame), 0.25);
  t.is(scaleOf(whole, { width: 100, height: 50 }, frame), 1);
});

test('it is zoomed step by step, neither larger than twice nor smaller than the whole', (t) => {
  let view = firstView;
  const zoom = (move: 'in' | 'out') => {
    view = viewAfter(view, move, scaleOf(view, picture, frame));
    return scaleOf(view, picture, frame);
  };
  t.is(zoom('in'), 1);
  for (let time = 0; time < 20; time += 1) zoom('in');
  t.is(zoom('in'), 2);
  for (let time = 0; time < 30; time += 1) zoom('out');
  t.is(zoom('out'), 0.25);
});

test('who moves it by hand is left there, until the state is to be followed again', (t) => {
  const moved = viewAfter(firstView, 'by-hand', 0.8);
  t.false(moved.isFollowing);
  t.false(viewAfter(moved, 'in', 0.8).isFollowing);
  t.deepEqual(viewAfter(moved, 'follow', 0.8), firstView);
  t.deepEqual(viewAfter({ zoom: 'whole', isFollowing: false }, 'follow', 0.25), firstView);
});

test('what is under the pointer stays there while the scale changes', (t) => {
  const to = scrollAround({ x: 100, y: 50 }, { x: 300, y: 150 }, 1, 2);
  t.deepEqual(to, { x: 700, y: 350 });
  t.is((to.x + 100) / 2, 300 + 100);
});
