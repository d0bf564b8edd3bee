/** Draws numbers of calls into the picture of a chart: on its boxes those in progress, on its arrows those of the past. */
import type { Fleet } from '../api/records.ts';
import { count } from '../parts/figures.ts';
import { arrowNamed, callsIn, timesTaken, type Arrow, type Chart } from './tallies.ts';

/** Sizes in pixels of the picture. */
const badge = { height: 18, digit: 7, padding: 10, above: 9 };

const most = { width: 4 };

const svgElement = (name: 'g' | 'rect' | 'text'): SVGElement =>
  document.createElementNS('http://www.w3.org/2000/svg', name);

const setAll = (element: Element, attributes: Readonly<Record<string, number | string>>): void => {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
};

/** Returns the badge of a box, which is created once and then only changes its number. */
const badgeOf = (box: Element): Element => {
  const known = box.querySelector(':scope > .tally');
  if (known !== null) return known;
  const made = svgElement('g');
  made.setAttribute('class', 'tally');
  made.append(svgElement('rect'), svgElement('text'));
  box.append(made);
  return made;
};

const drawBadge = (box: Element, calls: number): void => {
  const text = calls === 0 ? '' : count(calls);
  const made = badgeOf(box);
  if (made.textContent === text) return;
  const outline = box.querySelector(':scope > rect');
  const [rect, words] = made.children;
  if (outline === null || rect === undefined || words === undefined) return;
  const numberIn = (name: string): number => Number(outline.getAttribute(name));
  const width = text === '' ? 0 : text.length * badge.digit + badge.padding;
  const x = numberIn('x') + numberIn('width') - width - 2;
  const y = numberIn('y') - badge.above;
  setAll(rect, { x, y, width, height: badge.height, rx: badge.height / 2 });
  setAll(words, { x: x + width / 2, y: y + badge.height - 5, 'text-anchor': 'middle' });
  words.textContent = text;
};

/** Original label of each arrow, before which its number is written. */
const labels = new WeakMap<Element, string>();

const drawArrow = (edge: Element, taken: number, largest: number): void => {
  const label = edge.querySelector('text');
  const path = edge.querySelector('path');
  if (label === null || path === null) return;
  const words = labels.get(label) ?? label.textContent;
  labels.set(label, words);
  const text = taken === 0 ? words : `${count(taken)} × ${words}`;
  edge.classList.toggle('taken', taken > 0);
  if (label.textContent !== text) label.textContent = text;
  path.setAttribute('stroke-width', taken === 0 ? '1' : (1 + (most.width * taken) / largest).toFixed(2));
};

/** Returns a function that draws the numbers into a picture, for `ChartMarks`. */
export const drawingOf =
  (chart: Chart, now: Readonly<Record<string, number>>, history: Fleet | undefined) =>
  (frame: HTMLElement): void => {
    const failing = Object.fromEntries(
      (history?.states ?? [])
        .filter((one) => one.chart === chart && one.failed > 0)
        .map(({ state, failed }) => [state, failed]),
    );
    for (const box of frame.querySelectorAll('[data-state]')) {
      const state = box.getAttribute('data-state') ?? '';
      if (state === '') continue;
      const calls = callsIn(now, state);
      box.classList.toggle('busy', calls > 0 && !box.classList.contains('compound'));
      box.classList.toggle('failing', failing[state] !== undefined);
      drawBadge(box, calls);
    }
    const edges = new Map<Arrow, Element>();
    for (const edge of frame.querySelectorAll('[data-edge]'))
      edges.set(arrowNamed(edge.getAttribute('data-edge') ?? ''), edge);
    const transitions = (history?.transitions ?? []).filter((one) => one.chart === chart);
    const taken = timesTaken([...edges.keys()], transitions);
    const largest = Math.max(1, ...taken.values());
    for (const [arrow, edge] of edges) drawArrow(edge, taken.get(arrow) ?? 0, largest);
  };
