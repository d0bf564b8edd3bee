/** The picture of a chart, which can be zoomed and dragged, and which follows the current state. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import {
  firstView,
  scaleOf,
  scrollAround,
  viewAfter,
  wholeView,
  type ChartMove,
  type ChartView,
  type Point,
  type Size,
} from './chart-view.ts';

/** Returns the size at which the gateway drew the picture. */
const drawnSize = (frame: HTMLElement): Size => {
  const { width, height } = frame.querySelector('svg')?.viewBox.baseVal ?? { width: 1, height: 1 };
  return { width, height };
};

const middleOf = (frame: HTMLElement): Point => ({ x: frame.clientWidth / 2, y: frame.clientHeight / 2 });

const lightUp = (frame: HTMLElement, current: string): void => {
  for (const node of frame.querySelectorAll('[data-state]')) {
    const id = node.getAttribute('data-state') ?? '';
    node.classList.toggle('current', id !== '' && id === current);
    node.classList.toggle('around', current.startsWith(`${id}.`));
  }
};

/**
 * Scrolls to the current state. There is no animation if the user prefers reduced motion (`scroll-behavior` in the
 * styles).
 */
const moveToState = (frame: HTMLElement): void => {
  const lit = (frame.querySelector('.current') ?? frame.querySelector('.busy'))?.getBoundingClientRect();
  if (lit === undefined) return;
  const seen = frame.getBoundingClientRect();
  frame.scrollBy({
    left: lit.x + lit.width / 2 - seen.x - seen.width / 2,
    top: lit.y + lit.height / 2 - seen.y - seen.height / 2,
  });
};

/** Returns the size of an element, updated whenever it changes. */
const useSize = (ref: { current: HTMLElement | null }): Size => {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    // Sizes are rounded down to whole pixels, because a fraction of a pixel too many would make the frame scrollable.
    const look = (): void => {
      const { width, height } = element.getBoundingClientRect();
      setSize({ width: Math.floor(width), height: Math.floor(height) });
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
};

/** Names of the states and transitions of a chart that were never visited. */
export type NeverVisited = { states: readonly string[]; transitions: readonly string[] };

/** Marks states and transitions as visited or not. The name of a transition begins with its states. */
const markVisited = (frame: HTMLElement, { states, transitions }: NeverVisited): void => {
  const mark = (attribute: string, never: ReadonlySet<string>): void => {
    for (const node of frame.querySelectorAll(`[${attribute}]`)) {
      const name = node.getAttribute(attribute) ?? '';
      node.classList.toggle('never', never.has(name));
      node.classList.toggle('visited', name !== '' && !never.has(name));
    }
  };
  mark('data-state', new Set(states));
  mark('data-edge', new Set(transitions.map((name) => name.slice(0, name.indexOf(': ')))));
};

/** Marks that a page draws into the picture of a chart in place of a current state, such as numbers of calls. */
export type ChartMarks = {
  /** Draws into the picture. Called again for another function or another picture. */
  draw: (frame: HTMLElement) => void;
  /** Called with a clicked state. */
  choose: (state: string) => void;
};

/** Scales the picture in its frame according to the view and keeps the visible part in place. */
const useView = (
  picture: string,
  current: string,
  coverage: NeverVisited | null,
  draw: ChartMarks['draw'] | undefined,
) => {
  const ref = useRef<HTMLDivElement>(null);
  const frameSize = useSize(ref);
  const [view, setView] = useState<ChartView>(coverage === null ? firstView : wholeView);
  const shown = useRef(1);
  /**
   * Position of the pointer, around which the next change of scale takes place; without a pointer, the middle of the
   * frame.
   */
  const pointer = useRef<Point | null>(null);

  useLayoutEffect(() => {
    if (ref.current !== null) ref.current.innerHTML = picture;
  }, [picture]);

  useLayoutEffect(() => {
    const frame = ref.current;
    const svg = frame?.querySelector('svg') ?? null;
    if (frame === null || svg === null) return;
    const drawn = drawnSize(frame);
    const scale = scaleOf(view, drawn, frameSize);
    const at = pointer.current ?? middleOf(frame);
    const to = scrollAround(at, { x: frame.scrollLeft, y: frame.scrollTop }, shown.current, scale);
    svg.setAttribute('width', String(Math.floor(drawn.width * scale)));
    svg.setAttribute('height', String(Math.floor(drawn.height * scale)));
    frame.scrollTo({ left: to.x, top: to.y, behavior: 'instant' });
    shown.current = scale;
    pointer.current = null;
  }, [picture, view.zoom, frameSize]);

  useEffect(() => {
    const frame = ref.current;
    if (frame === null) return;
    lightUp(frame, current);
    if (view.isFollowing) moveToState(frame);
  }, [picture, current, view, frameSize, draw]);

  useEffect(() => {
    if (ref.current !== null && coverage !== null) markVisited(ref.current, coverage);
  }, [picture, coverage]);

  useLayoutEffect(() => {
    if (ref.current !== null) draw?.(ref.current);
  }, [picture, draw]);

  const move = (what: ChartMove, at: Point | null = null): void => {
    pointer.current = at;
    setView((before) => viewAfter(before, what, shown.current));
  };
  return { ref, view, move };
};

const movesByKey: Readonly<Record<string, ChartMove>> = {
  '+': 'in',
  '=': 'in',
  '-': 'out',
  '0': 'whole',
  f: 'follow',
};

/** Movement of the pointer in pixels beyond which a click ends a drag and chooses no state. */
const dragPx = 4;

const stateAt = (x: number, y: number): string | undefined => {
  const state = document.elementFromPoint(x, y)?.closest('[data-state]');
  return state?.getAttribute('data-state') ?? undefined;
};

/** Handlers for a click on a state. The pointer is captured by the frame, so the state is found by its position. */
const choosing = (choose: (state: string) => void) => {
  let begun: Point | null = null;
  return {
    onPointerDownCapture({ clientX: x, clientY: y }: PointerEvent) {
      begun = { x, y };
    },
    onClick({ clientX: x, clientY: y }: MouseEvent) {
      if (begun === null || Math.hypot(x - begun.x, y - begun.y) > dragPx) return;
      const state = stateAt(x, y);
      if (state !== undefined && state !== '') choose(state);
    },
  };
};

const stepPx = 60;

const stepsByKey: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -stepPx, y: 0 },
  ArrowRight: { x: stepPx, y: 0 },
  ArrowUp: { x: 0, y: -stepPx },
  ArrowDown: { x: 0, y: stepPx },
};

/**
 * Handlers for dragging, for keys, and for the wheel with Ctrl or Cmd (which browsers also send for a pinch on a
 * touchpad). Without Ctrl or Cmd the wheel scrolls the page, which would otherwise stop scrolling over the picture.
 */
const handlesOf = (move: (what: ChartMove, at?: Point) => void) => ({
  onWheel(event: WheelEvent & { currentTarget: HTMLElement }) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { x, y } = event.currentTarget.getBoundingClientRect();
    move(event.deltaY < 0 ? 'in' : 'out', { x: event.clientX - x, y: event.clientY - y });
  },
  onKeyDown(event: KeyboardEvent & { currentTarget: HTMLElement }) {
    // Keys with a modifier are left to the browser.
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = stepsByKey[event.key];
    const what = step === undefined ? movesByKey[event.key] : 'by-hand';
    if (what === undefined) return;
    event.preventDefault();
    move(what);
    if (step !== undefined) event.currentTarget.scrollBy({ left: step.x, top: step.y, behavior: 'instant' });
  },
  onPointerDown(event: PointerEvent & { currentTarget: HTMLElement }) {
    move('by-hand');
    // Touch input is not captured, because the browser scrolls the frame itself.
    if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId);
  },
  onPointerMove(event: PointerEvent & { currentTarget: HTMLElement }) {
    const frame = event.currentTarget;
    if (!frame.hasPointerCapture(event.pointerId)) return;
    frame.scrollBy({ left: -event.movementX, top: -event.movementY, behavior: 'instant' });
  },
});

/** The picture of a chart. The SVG is generated by the gateway and contains no foreign content. */
export const ChartPicture = ({
  picture,
  current,
  isStale,
  coverage = null,
  marks,
  label,
  children,
}: {
  picture: string;
  current: string;
  /** Whether the state may have changed since. */
  isStale: boolean;
  /** States and transitions never visited; null for a picture of a current state. */
  coverage?: NeverVisited | null;
  marks?: ChartMarks;
  /** Description for screen readers instead of the current state. */
  label?: string;
  /** Content below the picture, beside its tools. */
  children?: ComponentChildren;
}) => {
  const t = texts.value.calls.one;
  const { ref, view, move } = useView(picture, current, coverage, marks?.draw);
  const choose = marks?.choose;
  const clicks = useMemo(() => (choose === undefined ? {} : choosing(choose)), [choose]);
  const button = (what: Exclude<ChartMove, 'by-hand'>, path: string, isPressed?: boolean) => (
    <button
      type="button"
      class="chart-tool"
      aria-label={t.zoom[what]}
      title={t.zoom[what]}
      {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
      onClick={() => move(what)}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
  return (
    <div class={isStale ? 'chart-frame stale' : 'chart-frame'}>
      <div
        class={choose === undefined ? 'chart' : 'chart chosen'}
        // The frame can have the focus, so that the picture can be moved and zoomed by keyboard.
        tabIndex={0}
        role="img"
        aria-label={label ?? `${t.chart}: ${current}`}
        aria-keyshortcuts="+ - 0 f"
        ref={ref}
        {...handlesOf(move)}
        {...clicks}
      />
      <div class="chart-foot">
        {children}
        <div class="chart-tools" role="group" aria-label={t.zoom.title}>
          {button('out', 'M6 12h12')}
          {button('in', 'M6 12h12M12 6v12')}
          {button('whole', 'M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5', view.zoom === 'whole')}
          {button(
            'follow',
            'M12 3v4M12 17v4M3 12h4M17 12h4M12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8',
            view.isFollowing,
          )}
        </div>
      </div>
    </div>
  );
};
